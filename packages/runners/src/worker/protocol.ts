/**
 * Owns the messages between the runner and its worker threads. Everything is plain data that survives a structured clone.
 */
import type { Progress } from '@holdfast/core';

/** The attempt, for the tool inside the worker. */
export interface WorkerAttempt {
  /** Name of the tool. */
  readonly toolName: string;
  /** Id of the call. */
  readonly callId: string;
  /** Id of the turn. */
  readonly turnId: string;
  /** Number of the attempt within its call, from 1, counted over retries and alternatives. */
  readonly attempt: number;
  /** The same for every attempt of a call, so that a service can recognize a repeated request. */
  readonly idempotencyKey: string;
  /** Time limit of the attempt in milliseconds. At its end the thread is terminated. */
  readonly timeoutMs: number;
}

/** Second argument of a worker tool. There is no signal: at an abort the thread is terminated. */
export interface WorkerToolContext extends WorkerAttempt {
  /** Reports progress; shown live and kept in the trace. */
  reportProgress(progress: Progress): void;
  /** Reports the output so far. With `acceptPartial` a timeout returns the last of these instead of failing. */
  reportPartial(output: unknown): void;
}

export interface WorkerStart {
  readonly module: string;
  readonly exportName: string;
}

export interface WorkerRequest {
  readonly id: number;
  readonly args: unknown;
  readonly attempt: WorkerAttempt;
}

export type WorkerReply =
  | { readonly type: 'ready' }
  | { readonly type: 'start_failed'; readonly error: unknown }
  | { readonly type: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly type: 'partial'; readonly id: number; readonly output: unknown }
  | { readonly type: 'result'; readonly id: number; readonly output: unknown }
  | { readonly type: 'error'; readonly id: number; readonly error: unknown }
  | { readonly type: 'not_cloneable'; readonly id: number; readonly reason: string };
