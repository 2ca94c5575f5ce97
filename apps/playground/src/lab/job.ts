/** Owns what the page asks of its worker, and what the worker answers. Plain data. */
import type { TraceEvent } from '@holdfast/core';
import type { Problem } from '@holdfast/manifest/lab';
import type { Comparison } from '@holdfast/simulate';

/** What is simulated. */
export interface Job {
  /** A scenario's name, or the YAML of a world. */
  readonly world: { readonly name: string } | { readonly text: string };
  readonly processes: number;
  /** Names; `own` is the policy in `ownPolicy`. */
  readonly policies: readonly string[];
  /** YAML. */
  readonly ownPolicy: string;
  readonly seeds: readonly string[];
}

/** A request for the turns that began in one second of a run. */
export interface CallsRequest {
  readonly job: Job;
  readonly policy: string;
  readonly second: number;
}

export type Request = { readonly kind: 'run'; readonly job: Job } | ({ readonly kind: 'calls' } & CallsRequest);

export interface TurnEvents {
  readonly turnId: string;
  readonly events: readonly TraceEvent[];
}

/** Where a text of the user is wrong. */
export interface TextProblems {
  readonly of: 'world' | 'policy';
  readonly problems: readonly Problem[];
}

export type Response =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  /** `position`: that of the policy in the job. `durationMs`: that of the world. */
  | { readonly kind: 'comparison'; readonly position: number; readonly comparison: Comparison; readonly durationMs: number }
  | { readonly kind: 'calls'; readonly turns: readonly TurnEvents[] }
  | ({ readonly kind: 'invalid' } & TextProblems)
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'done' };
