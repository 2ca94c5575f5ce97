/** The manual actions on a circuit. */
import type { CircuitCommand, CircuitMode, CircuitState } from '@holdfast/gateway/contract';

export interface CircuitAction {
  readonly command: CircuitCommand;
  readonly title: string;
  readonly meaning: string;
  /** It can cause calls to fail. */
  readonly disruptive: boolean;
}

const hold: CircuitAction = {
  command: 'open',
  title: 'Force open',
  meaning: 'Refuse every call until you return the circuit to automatic.',
  disruptive: true,
};
const close: CircuitAction = {
  command: 'close',
  title: 'Close now',
  meaning: 'Reset the failure count, end a hold, and allow calls. The circuit can open again.',
  disruptive: false,
};
const disable: CircuitAction = {
  command: 'disable',
  title: 'Disable',
  meaning: 'Neither count failures nor refuse calls.',
  disruptive: true,
};
const shadow: CircuitAction = {
  command: 'shadow',
  title: 'Shadow mode',
  meaning: 'Record what the circuit would do, but refuse nothing.',
  disruptive: false,
};
const release: CircuitAction = { command: 'auto', title: 'Return to automatic', meaning: 'End the manual override.', disruptive: false };

export function circuitActions(circuit: CircuitState, mode: CircuitMode, held = false): readonly CircuitAction[] {
  return [
    ...(mode === 'auto' ? [] : [release]),
    ...(circuit === 'closed' && mode === 'auto' && !held ? [] : [close]),
    ...(mode === 'forced_open' ? [] : [hold]),
    ...(mode === 'shadow' ? [] : [shadow]),
    ...(mode === 'disabled' ? [] : [disable]),
  ];
}
