/** Owns the types of faults. */
import type { RateLimit, RetryAfter, TokenBucket } from './limit-types.ts';

/** A number, or a range from which one is drawn uniformly per seed. */
export type Drawn = number | readonly [number, number];

/** One fault: what is hit, when, and how it fails. */
export type WorldFault = FaultSpan & WorldFaultKind;

/** The target: a service, or all services of a host. */
export interface FaultSpan {
  /** Name of the service that is hit. Needed unless `host` is given. */
  readonly service?: string;
  /** Name of the host whose services are hit. */
  readonly host?: string;
  /** When the fault begins, in milliseconds since the run began. */
  readonly fromMs: Drawn;
  /** Duration. */
  readonly forMs: Drawn;
  /** Afterwards capacity returns gradually, from a tenth to all of it. @default 0 */
  readonly recoverOverMs?: number;
  /** Number of equal steps in which it returns. @default 20 */
  readonly recoverSteps?: number;
  /** Afterwards the service is slow until it has served some requests. @default none */
  readonly coldCache?: ColdCache;
}

/** A cache that is empty after a fault and filled by the requests that are served. */
export interface ColdCache {
  /** How many times as long a request takes with an empty cache. */
  readonly factor: number;
  /** Requests served until it is full. The factor falls evenly. */
  readonly requests: number;
}

/** The error that requests are answered with. */
export interface ErrorAnswer {
  /** HTTP status. @default 503 */
  readonly status?: number;
  /** How long the error takes, in milliseconds. @default 20 */
  readonly answerMs?: number;
  /** What its `Retry-After` says. @default 'none' */
  readonly retryAfterS?: RetryAfter;
}

/** How a service fails. */
export type WorldFaultKind =
  /** Every request is answered with an error. */
  | ({ readonly kind: 'outage' } & ErrorAnswer)
  /** No request is answered. */
  | { readonly kind: 'black_hole' }
  /** A share of the requests fails at random. */
  | ({ readonly kind: 'random_failures'; readonly share: number } & ErrorAnswer)
  /** The work is done, but its answer is lost. */
  | { readonly kind: 'lost_answers'; readonly share: number }
  /** Only a share of the servers works, at least one per replica. */
  | { readonly kind: 'brownout'; readonly capacity: number }
  | Slow
  | ({ readonly kind: 'rate_limit' } & RateLimit)
  | ({ readonly kind: 'token_bucket' } & TokenBucket)
  /** Alternates between down and up. */
  | ({ readonly kind: 'flapping'; readonly downMs: readonly [number, number]; readonly upMs: readonly [number, number] } & ErrorAnswer)
  | Permanent
  /** One of several replicas is bad, counted from 0. `gone`: requests go to the others. */
  | { readonly kind: 'bad_replica'; readonly replica: number; readonly how: 'errors' | 'black_hole' | 'slow' | 'gone' };

/** Requests take longer. They occupy their servers as long as they take. */
export interface Slow {
  /** The fault's kind: requests are slow. */
  readonly kind: 'slow';
  /** How many times as long they take. */
  readonly factor: number;
  /** Share of the requests that are slow, drawn anew for each request: below 1 a heavy tail. @default 1 */
  readonly share?: number;
  /** Slow in the second half of each such period only, in milliseconds. @default all the time */
  readonly periodMs?: number;
  /** The factor grows evenly, from 1 at the begin of the fault. @default false */
  readonly grows?: boolean;
}

/** A share of the calls can never succeed, however often they are tried. They are excluded from the success figures. */
export interface Permanent {
  /** The fault's kind: calls fail permanently. */
  readonly kind: 'permanent';
  /** Share of the calls. */
  readonly share: number;
  /** Only calls of this group of agents, counted from 0. @default all groups */
  readonly group?: number;
  /** HTTP status of their errors; 500 for arguments that break the service. @default 400 */
  readonly status?: number;
  /** How long the error takes, in milliseconds. @default 20 */
  readonly answerMs?: number;
}
