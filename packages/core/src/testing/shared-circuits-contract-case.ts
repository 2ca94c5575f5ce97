/** Owns the types and helpers of the cases of the shared circuits contract. Does not own the cases. */
import type { FleetCircuitSettings } from '../distributed/fleet/fleet-settings.ts';
import type { CircuitReport, FleetCircuit, ProbeAnswer, SharedCircuits } from '../distributed/fleet/shared-circuits.ts';

/** Options of `sharedCircuitsContract`: how to connect to the coordinator under test. */
export interface SharedCircuitsContractOptions {
  /** Opens a connection to the coordinator. It is called more than once per case, always for the same coordinator, like by several workers. */
  readonly open: (settings: Partial<FleetCircuitSettings>) => SharedCircuits | Promise<SharedCircuits>;
  /** Waits until this much time has passed for the coordinator, or advances its manual clock. */
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Prefix of the tool names, so that a persistent coordinator can be reused. @default none */
  readonly prefix?: string;
}

/** One case of the shared circuits contract. */
export interface SharedCircuitsContractCase {
  /** Name of the case, for the test runner. */
  readonly name: string;
  /** Rejects with an `Error` that describes the violation. */
  readonly run: () => Promise<void>;
}

/** A `short` period is over after `wait(past)`; a `long` one does not end within a case. */
export const short = 60;
export const past = 120;
export const long = 60_000;

/** A fleet with its coordinator, for the tool of a case. */
export interface Fleet {
  readonly tool: string;
  /** Two connections, like those of two processes. */
  readonly one: SharedCircuits;
  readonly other: SharedCircuits;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Sends one report, by default a success at a closed circuit by a worker that knows the current generation. */
  readonly report: (worker: string, report?: Partial<CircuitReport>) => Promise<FleetCircuit>;
  /** Reports an open circuit after failures. */
  readonly reportOpen: (worker: string, openForMs: number, report?: Partial<CircuitReport>) => Promise<FleetCircuit>;
  readonly acquire: (worker: string, leaseMs?: number) => Promise<ProbeAnswer>;
  /** Opens the fleet's circuit by a quorum of one worker. */
  readonly openCircuit: (openForMs: number) => Promise<FleetCircuit>;
  /** Acquires a probe and returns its token; fails if it is not granted. */
  readonly acquireToken: (worker: string, leaseMs?: number) => Promise<string>;
}

export function check(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Error(`Shared circuits contract: ${message}`);
}

export function checkCircuit(circuit: FleetCircuit | undefined, state: FleetCircuit['state'], message: string): void {
  check(circuit?.state === state, `${message}: the circuit is ${JSON.stringify(circuit)}`);
}

export function fleetAt(tool: string, one: SharedCircuits, other: SharedCircuits, wait: Fleet['wait']): Fleet {
  let sequence = 0;
  let generation = 0;
  const report: Fleet['report'] = async (worker, fields = {}) => {
    sequence += 1;
    const complete: CircuitReport = { toolName: tool, worker, sequence, generation, successes: 1, failures: 0, state: 'closed', ...fields };
    const [circuit] = await one.report([complete]);
    check(circuit?.toolName === tool, 'a report is not answered with the circuit of its tool');
    check(circuit.generation >= generation, `the generation decreased from ${String(generation)} to ${String(circuit.generation)}`);
    generation = circuit.generation;
    return circuit;
  };
  const reportOpen: Fleet['reportOpen'] = (worker, openForMs, fields = {}) =>
    report(worker, { successes: 0, failures: 5, state: 'open', openForMs, ...fields });
  const acquire: Fleet['acquire'] = (worker, leaseMs = long) => other.acquireProbe({ toolName: tool, worker, leaseMs });
  return {
    tool,
    one,
    other,
    wait,
    report,
    reportOpen,
    acquire,
    async openCircuit(openForMs) {
      const circuit = await reportOpen('opener', openForMs);
      check(circuit.state !== 'closed' && circuit.cause === 'quorum', `a single worker is not a quorum: ${JSON.stringify(circuit)}`);
      return circuit;
    },
    async acquireToken(worker, leaseMs) {
      const answer = await acquire(worker, leaseMs);
      check(answer.kind === 'granted', `the probe is not granted to '${worker}': ${JSON.stringify(answer)}`);
      return answer.token;
    },
  };
}
