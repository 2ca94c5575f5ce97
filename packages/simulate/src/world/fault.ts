/** Owns the types of faults. */

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
}

/** How a service fails. `status` is that of the error, `answerMs` how long the error takes. */
export type WorldFaultKind =
  /** Every request is answered with an error. */
  | { readonly kind: 'outage'; readonly status?: number; readonly answerMs?: number }
  /** No request is answered. */
  | { readonly kind: 'black_hole' }
  /** A share of the requests fails at random. */
  | { readonly kind: 'random_failures'; readonly share: number; readonly status?: number; readonly answerMs?: number }
  /** The work is done, but its answer is lost. */
  | { readonly kind: 'lost_answers'; readonly share: number }
  /** Only a share of the servers works, at least one per replica. */
  | { readonly kind: 'brownout'; readonly capacity: number }
  /** Everything takes this many times as long. */
  | { readonly kind: 'slow'; readonly factor: number }
  | { readonly kind: 'rate_limit'; readonly limit: number; readonly windowMs: number }
  /** Alternates between down and up. */
  | {
      readonly kind: 'flapping';
      readonly downMs: readonly [number, number];
      readonly upMs: readonly [number, number];
      readonly status?: number;
      readonly answerMs?: number;
    }
  /** A share of the calls can never succeed, however often they are tried (400). They are excluded from the success figures. */
  | { readonly kind: 'permanent'; readonly share: number }
  /** One of several replicas is bad, counted from 0. */
  | { readonly kind: 'bad_replica'; readonly replica: number; readonly how: 'errors' | 'black_hole' | 'slow' };
