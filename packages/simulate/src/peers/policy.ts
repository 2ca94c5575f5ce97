/**
 * Owns the vocabulary in which the policies of other libraries are modelled: the outcomes of an attempt, and layers that wrap a send function.
 * Does not own the world that the requests go to.
 *
 * 1. A model sees only what its library would see: outcomes, its clock, and randomness.
 * 2. `done` is called exactly once for every call.
 */
import type { LabCall } from '../run/contender.ts';

/** The outcome of an attempt, or of a whole call. */
export type RequestOutcome =
  | { readonly kind: 'ok' }
  /** An error of the service, or a lost connection: the next attempt may succeed. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs?: number }
  /** The client stopped waiting. */
  | { readonly kind: 'timeout' }
  | { readonly kind: 'rate_limited'; readonly retryAfterMs?: number }
  /** The request can never succeed. */
  | { readonly kind: 'permanent' }
  /** Not sent: the policy refused it. */
  | { readonly kind: 'refused' };

/** Sends a request and reports its outcome. */
export type SendCall = (call: LabCall, done: (outcome: RequestOutcome) => void) => void;

/** Wraps a send function; it holds the state that several calls share. */
export type Layer = (inner: SendCall) => SendCall;

/** The clock and the randomness of a model. */
export interface PeerClock {
  /** Returns the milliseconds of simulated time since the run began. */
  readonly now: () => number;
  /** Runs `task` after a delay in milliseconds. A task cannot be cancelled. */
  readonly after: (delayMs: number, task: () => void) => void;
  /** In [0, 1). */
  readonly random: () => number;
}

/** A library's policy with its documented defaults. */
export interface PeerModel {
  /** Name of the contender in tables. */
  readonly name: string;
  /** Library, version, and where its defaults are documented. */
  readonly source: string;
  /** The configuration, as text. */
  readonly configuration: string;
  /** One policy that all callers of a tool share. */
  readonly policy: (clock: PeerClock) => Layer;
}

/** Outermost first. */
export function layers(...all: readonly Layer[]): Layer {
  return (inner) => all.reduceRight((send, layer) => layer(send), inner);
}

/** Outcomes that most clients treat as transient: errors of the service, time-outs and rate limits. */
export function isTransient(outcome: RequestOutcome): boolean {
  return outcome.kind === 'unavailable' || outcome.kind === 'timeout' || outcome.kind === 'rate_limited';
}

export function isFailure(outcome: RequestOutcome): boolean {
  return outcome.kind !== 'ok';
}
