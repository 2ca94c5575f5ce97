/** Owns the typed form of `engine`, `worker` and `shared_circuits`: the settings of durable turns. Defaults are filled in. */
import type { TextOrSecret } from '@holdfast/runners';

/** A Restate server or cluster. */
export interface RestateEntry {
  /** Ingress address, where turns are submitted. @default 'http://127.0.0.1:8080' */
  readonly ingress: string;
  /** Where workers are registered. @default 'http://127.0.0.1:9070' */
  readonly admin: string;
  /** Sent with each request to either. @default {} */
  readonly headers: Readonly<Record<string, TextOrSecret>>;
  /** Time limit of each request to the engine. @default 5000 */
  readonly timeoutMs: number;
}

/** The section `engine`: the server that runs durable turns. */
export interface EngineEntry {
  /** Restate, the only engine so far. */
  readonly restate: RestateEntry;
}

/** The address on which a worker listens for the engine. */
export interface WorkerListen {
  /** @default '127.0.0.1' */
  readonly host: string;
  /** 0: any free port. @default 9080 */
  readonly port: number;
}

/** Settings of `holdfast worker`. */
export interface WorkerEntry {
  /** Address to listen on. @default 127.0.0.1, port 9080 */
  readonly listen: WorkerListen;
  /** Where the engine reaches the workers: the address of their load balancer if there are several. @default the address listened on */
  readonly url?: string;
  /** Whether a worker registers with the engine when it starts. @default true */
  readonly register: boolean;
  /** Public keys of the engine; requests without a signature by one of them are refused. @default [] */
  readonly identityKeys: readonly string[];
  /** How long running attempts may continue at shutdown. @default 10000 */
  readonly drainMs: number;
}

/** Where the shared circuits of a fleet are stored. */
export type SharedCircuitsEntry = 'off' | 'restate' | 'postgres';

export const restateDefaults: RestateEntry = {
  ingress: 'http://127.0.0.1:8080',
  admin: 'http://127.0.0.1:9070',
  headers: {},
  timeoutMs: 5_000,
};

export const workerDefaults: WorkerEntry = {
  listen: { host: '127.0.0.1', port: 9080 },
  register: true,
  identityKeys: [],
  drainMs: 10_000,
};

export const sharedCircuitsDefault: SharedCircuitsEntry = 'off';

/** `undefined`: turns run in the process that receives them. */
export function engineEntry(given: unknown): EngineEntry | undefined {
  const { restate } = (given ?? {}) as { readonly restate?: Partial<RestateEntry> };
  return restate && { restate: { ...restateDefaults, ...restate } };
}

export function workerEntry(given: unknown): WorkerEntry {
  const { listen, ...rest } = (given ?? {}) as Partial<WorkerEntry>;
  return { ...workerDefaults, ...rest, listen: { ...workerDefaults.listen, ...listen } };
}
