/**
 * Owns the messages between the runner and its worker threads. Everything is plain data that survives a structured clone.
 */
import type { AttemptContext, Progress } from '@holdfast/core';

/** The attempt, for the tool inside the worker. At `timeoutMs` the thread is terminated. */
export type WorkerAttempt = Pick<AttemptContext, 'toolName' | 'callId' | 'turnId' | 'attempt' | 'idempotencyKey' | 'timeoutMs'>;

/** Second argument of a worker tool. There is no signal: at an abort the thread is terminated. */
export type WorkerToolContext = Omit<AttemptContext, 'signal'>;

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
