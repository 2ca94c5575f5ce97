/** Owns what can be done to a circuit by hand, in words. Pure. */
import type { CircuitCommand, CircuitMode, CircuitState } from '@holdfast/gateway/contract';

export interface CircuitAction {
  readonly command: CircuitCommand;
  readonly title: string;
  readonly meaning: string;
  /** Calls may be lost by it. */
  readonly harsh: boolean;
}

const hold: CircuitAction = {
  command: 'open',
  title: 'Hold it open',
  meaning: 'Refuse every call until you let it go again.',
  harsh: true,
};
const close: CircuitAction = {
  command: 'close',
  title: 'Close it now',
  meaning: 'Forget its failures and let every call through. It can open again.',
  harsh: false,
};
const disable: CircuitAction = {
  command: 'disable',
  title: 'Switch it off',
  meaning: 'Neither count failures nor refuse calls.',
  harsh: true,
};
const shadow: CircuitAction = {
  command: 'shadow',
  title: 'Only watch',
  meaning: 'Count and record what it would do, refuse nothing.',
  harsh: false,
};
const release: CircuitAction = { command: 'auto', title: 'Let it work by itself', meaning: 'End what was done by hand.', harsh: false };

export function circuitActions(circuit: CircuitState, mode: CircuitMode): readonly CircuitAction[] {
  return [
    ...(mode === 'auto' ? [] : [release]),
    ...(circuit === 'closed' && mode === 'auto' ? [] : [close]),
    ...(mode === 'forced_open' ? [] : [hold]),
    ...(mode === 'shadow' ? [] : [shadow]),
    ...(mode === 'disabled' ? [] : [disable]),
  ];
}
