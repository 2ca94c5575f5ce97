/**
 * Owns the circuit of a tool as a Restate virtual object: keyed by the tool, with one exclusive handler, so the messages of a tool are serialized across the
 * cluster. Does not own what a message changes (`stepFleetCircuit`).
 *
 * 1. The handler never waits: it reads the state and the journaled clock, runs one step and writes the state.
 * 2. Only the state is stored: no journal of finished invocations, and no results.
 * 3. A message that cannot be parsed fails at once; nothing blocks a tool's key for long.
 */
import { checkOptions, type Fields } from '@holdfast/core/internal/plain';
import { nameRule } from '../turns/turn-service-options.ts';
import {
  completeFleetSettings,
  fleetCircuitDefaults,
  stepFleetCircuit,
  type FleetCircuitSettings,
  type FleetCircuitState,
} from '@holdfast/core/fleet';
import { handlers, object as defineObject, TerminalError, type ObjectContext } from '@restatedev/restate-sdk';
import type { RestateService } from '../turns/turn-service.ts';
import { textSerde } from '../turns/text-serde.ts';
import { readCircuitMessage } from './read-circuit-message.ts';

/** The default name of the circuits' object in Restate. */
export const CIRCUIT_OBJECT = 'holdfast_circuit';

/** Settings of the object that stores a fleet's circuits in Restate: its name, and when the circuits open and close. */
export interface CircuitObjectOptions extends Partial<FleetCircuitSettings> {
  /** Its name in Restate, the same for all workers and clients. @default 'holdfast_circuit' */
  readonly objectName?: string;
}

const STATE = 'circuit';
const MAX_STEP_MS = 10_000;

const objectFields: Fields = {
  objectName: nameRule,
  // `completeFleetSettings` checks their values.
  ...Object.fromEntries(Object.keys(fleetCircuitDefaults).map((name) => [name, () => undefined])),
};

const step =
  (settings: FleetCircuitSettings) =>
  async (circuit: ObjectContext, text: string): Promise<string> => {
    const message = readCircuitMessage(text, circuit.key);
    if (message === undefined) throw new TerminalError('The message is not about a circuit.', { errorCode: 400 });
    const before = await circuit.get<FleetCircuitState>(STATE);
    const now = await circuit.date.now();
    const after = stepFleetCircuit(before?.version === 1 ? before : undefined, message, now, settings);
    circuit.set(STATE, after.state);
    return JSON.stringify({ circuit: after.circuit, ...(after.probe === undefined ? {} : { probe: after.probe }) });
  };

/**
 * The circuits of a fleet, for a worker's Restate endpoint: `createTurnEndpoint({ …, services: [circuitObject()] })`.
 * @throws TypeError or RangeError for an invalid setting.
 */
export function circuitObject(options: CircuitObjectOptions = {}): RestateService {
  checkOptions(objectFields, options, 'circuitObject');
  const { objectName = CIRCUIT_OBJECT, ...given } = options;
  const settings = completeFleetSettings(given, 'circuitObject');
  return defineObject({
    name: objectName,
    handlers: { step: handlers.object.exclusive({ input: textSerde, output: textSerde, accept: '*/*' }, step(settings)) },
    options: {
      journalRetention: 0,
      inactivityTimeout: MAX_STEP_MS,
      abortTimeout: MAX_STEP_MS,
      retryPolicy: { initialInterval: 50, exponentiationFactor: 2, maxInterval: 500, maxAttempts: 10, onMaxAttempts: 'kill' },
    },
  });
}
