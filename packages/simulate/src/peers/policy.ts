/**
 * Owns the words in which the policies of other libraries are modelled: what an attempt answered, and layers that wrap a way to send.
 * Not here: the world the requests go to.
 *
 * 1. A model sees nothing that its library would not: outcomes, its clock, and randomness.
 * 2. `done` is called exactly once for every call.
 */
import type { LabCall } from '../run/contender.ts';

/** What an attempt, or a call in the end, was answered. */
export type RequestOutcome =
  | { readonly kind: 'ok' }
  /** An error of the service, or a lost connection: the next attempt may fare better. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs?: number }
  /** The client stopped waiting. */
  | { readonly kind: 'timeout' }
  | { readonly kind: 'rate_limited'; readonly retryAfterMs?: number }
  /** It can never work. */
  | { readonly kind: 'permanent' }
  /** Not sent: the policy refused it. */
  | { readonly kind: 'refused' };

/** Sends something, and tells how it was answered. */
export type SendCall = (call: LabCall, done: (outcome: RequestOutcome) => void) => void;

/** Wraps a way to send; what several calls share is inside it. */
export type Layer = (inner: SendCall) => SendCall;

/** The clock and the randomness that a model lives on. */
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
  /** Library, version, and where its defaults are written. */
  readonly source: string;
  /** The configuration, in words. */
  readonly configuration: string;
  /** One policy that all callers of a tool share. */
  readonly policy: (clock: PeerClock) => Layer;
}

/** Outermost first. */
export function layers(...all: readonly Layer[]): Layer {
  return (inner) => all.reduceRight((send, layer) => layer(send), inner);
}

/** What most clients call transient: errors of the service, time-outs and rate limits. */
export function isTransient(outcome: RequestOutcome): boolean {
  return outcome.kind === 'unavailable' || outcome.kind === 'timeout' || outcome.kind === 'rate_limited';
}

export function isFailure(outcome: RequestOutcome): boolean {
  return outcome.kind !== 'ok';
}
