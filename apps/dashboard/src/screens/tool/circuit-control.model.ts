/** The manual actions on a circuit, and the circuits of single clients. */
import type { CircuitCommand, CircuitMode, CircuitState, ClientCircuit } from '@holdfast/gateway/contract';
import { humanize } from '../../ui/format.ts';

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

/** `blocks`: calls wait or are refused although the circuit of the tool is closed: a hold, or the circuits of clients. */
export function circuitActions(circuit: CircuitState, mode: CircuitMode, blocks = false): readonly CircuitAction[] {
  return [
    ...(mode === 'auto' ? [] : [release]),
    ...(circuit === 'closed' && mode === 'auto' && !blocks ? [] : [close]),
    ...(mode === 'forced_open' ? [] : [hold]),
    ...(mode === 'shadow' ? [] : [shadow]),
    ...(mode === 'disabled' ? [] : [disable]),
  ];
}

/** `open for alice, half open for bob`; `undefined`: all clients have the circuit of the tool, or a closed one. */
export function clientCircuits(clients: readonly ClientCircuit[] = []): string | undefined {
  if (clients.length === 0) return undefined;
  const shown = clients
    .slice(0, shownClients)
    .map(({ client, circuit, mode }) => `${humanize(mode === 'auto' ? circuit : mode)} for ${client}`);
  return clients.length > shownClients ? `${shown.join(', ')} and ${clients.length - shownClients} more` : shown.join(', ');
}

const shownClients = 5;
