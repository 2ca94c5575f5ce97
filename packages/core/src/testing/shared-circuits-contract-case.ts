/** Owns the shape of the cases of the contract of shared circuits, and the words in which they are written. Does not own the cases. */
import type { FleetCircuitSettings } from '../distributed/fleet/fleet-settings.ts';
import type { CircuitReport, FleetCircuit, ProbeAnswer, SharedCircuits } from '../distributed/fleet/shared-circuits.ts';

/** How the contract of shared circuits reaches the coordinator that it tests. */
export interface SharedCircuitsContractOptions {
  /** A connection to the coordinator. Asked for more than once in a case: all are of the same coordinator, as those of several workers. */
  readonly open: (settings: Partial<FleetCircuitSettings>) => SharedCircuits | Promise<SharedCircuits>;
  /** Lets so much of the coordinator's time pass: really, or by hand. */
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Put before the tools' names, so that coordinators which remember can be used again. @default none */
  readonly prefix?: string;
}

/** One case of the contract of shared circuits. */
export interface SharedCircuitsContractCase {
  /** Name of the case, for the test runner. */
  readonly name: string;
  /** Rejects with an `Error` that says which promise the coordinator broke. */
  readonly run: () => Promise<void>;
}

/** Periods that have passed after `wait(past)`, and such as never pass within a case. */
export const short = 60;
export const past = 120;
export const long = 60_000;

/** A fleet at its coordinator, seen from the tool that a case is about. */
export interface Fleet {
  readonly tool: string;
  /** Two connections, as of two processes. */
  readonly one: SharedCircuits;
  readonly other: SharedCircuits;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** One report; what is not given is a success at a closed circuit, by a worker who knows how the fleet's stands. */
  readonly report: (worker: string, report?: Partial<CircuitReport>) => Promise<FleetCircuit>;
  /** Its circuit is open for so long, after failures. */
  readonly sayOpen: (worker: string, openForMs: number, report?: Partial<CircuitReport>) => Promise<FleetCircuit>;
  readonly acquire: (worker: string, leaseMs?: number) => Promise<ProbeAnswer>;
  /** Opened by a quorum of one, for so long. */
  readonly opened: (openForMs: number) => Promise<FleetCircuit>;
  /** The token of a probe that must be given. */
  readonly granted: (worker: string, leaseMs?: number) => Promise<string>;
}

export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`Shared circuits contract: ${what}`);
}

export function checkCircuit(circuit: FleetCircuit | undefined, state: FleetCircuit['state'], what: string): void {
  check(circuit?.state === state, `${what}: the circuit is ${JSON.stringify(circuit)}`);
}

export function fleetAt(tool: string, one: SharedCircuits, other: SharedCircuits, wait: Fleet['wait']): Fleet {
  let sequence = 0;
  let generation = 0;
  const report: Fleet['report'] = async (worker, given = {}) => {
    sequence += 1;
    const whole: CircuitReport = { toolName: tool, worker, sequence, generation, successes: 1, failures: 0, state: 'closed', ...given };
    const [circuit] = await one.report([whole]);
    check(circuit?.toolName === tool, 'a report is not answered with the circuit of its tool');
    check(circuit.generation >= generation, `the generation fell from ${String(generation)} to ${String(circuit.generation)}`);
    generation = circuit.generation;
    return circuit;
  };
  const sayOpen: Fleet['sayOpen'] = (worker, openForMs, given = {}) =>
    report(worker, { successes: 0, failures: 5, state: 'open', openForMs, ...given });
  const acquire: Fleet['acquire'] = (worker, leaseMs = long) => other.acquireProbe({ toolName: tool, worker, leaseMs });
  return {
    tool,
    one,
    other,
    wait,
    report,
    sayOpen,
    acquire,
    async opened(openForMs) {
      const circuit = await sayOpen('opener', openForMs);
      check(circuit.state !== 'closed' && circuit.cause === 'quorum', `a worker that is alone is no quorum: ${JSON.stringify(circuit)}`);
      return circuit;
    },
    async granted(worker, leaseMs) {
      const answer = await acquire(worker, leaseMs);
      check(answer.kind === 'granted', `the probe is not given to '${worker}': ${JSON.stringify(answer)}`);
      return answer.token;
    },
  };
}
