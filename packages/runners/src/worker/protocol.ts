/**
 * What goes between the runner and its worker threads. Everything is plain data that survives a structured clone.
 */
import type { Progress } from '@holdfast/core';

/** What the tool knows of its attempt inside the worker. */
export interface WorkerAttempt {
  readonly toolName: string;
  readonly callId: string;
  readonly turnId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly timeoutMs: number;
}

/** Second argument of a worker tool. There is no signal: at the abort the thread itself is terminated. */
export interface WorkerToolContext extends WorkerAttempt {
  reportProgress(progress: Progress): void;
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
