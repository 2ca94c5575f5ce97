/**
 * Owns one worker thread with the tool loaded: starting it, one call at a time, terminating it.
 *
 * Invariants
 * 1. The end of the thread (exit, crash, out of memory) rejects the start or the running call with a code.
 * 2. An idle worker does not keep this process alive.
 */
import { Worker } from 'node:worker_threads';
import type { AttemptContext } from '@holdfast/core';
import { reveal } from '../options/secret.ts';
import { codeOf, messageOf, runnerError } from '../runner-error.ts';
import { errorFromData } from './error-data.ts';
import type { WorkerSettings } from './options.ts';
import type { WorkerReply, WorkerRequest, WorkerStart } from './protocol.ts';

/** The sources also run without a build, so the thread's file has the extension of this one. */
const threadFile = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

export interface ToolWorker {
  readonly run: (args: unknown, context: AttemptContext) => Promise<unknown>;
  /** Resolves when the thread has ended, also in the middle of an endless loop. */
  readonly terminate: () => Promise<unknown>;
  readonly hasEnded: () => boolean;
}

interface Expectation {
  readonly onReply: (reply: WorkerReply) => void;
  readonly onEnd: (error: Error) => void;
}

/** Starts a thread; `started` settles when the module is loaded. */
export function startToolWorker(settings: WorkerSettings): { readonly worker: ToolWorker; readonly started: Promise<void> } {
  const thread = new Worker(threadFile, {
    workerData: { module: settings.module, exportName: settings.exportName } satisfies WorkerStart,
    ...(settings.env === undefined ? {} : { env: environmentOf(settings.env) }),
    ...(settings.resourceLimits === undefined ? {} : { resourceLimits: settings.resourceLimits }),
  });
  let expectation: Expectation | undefined;
  let ended = false;
  const end = (error: Error): void => {
    ended = true;
    expectation?.onEnd(error);
  };
  thread.on('message', (reply: WorkerReply) => expectation?.onReply(reply));
  thread.on('messageerror', (cause) => end(runnerError('WORKER_EXITED', 'A reply of the worker could not be read', { cause })));
  thread.on('error', (cause: unknown) => end(crashError(cause)));
  thread.on('exit', (exitCode) =>
    end(runnerError('WORKER_EXITED', `The worker exited with code ${exitCode} before it answered`, { exitCode })),
  );

  const expecting = async <Value>(
    make: (settle: (value: Value) => void, fail: (error: unknown) => void) => Expectation['onReply'],
  ): Promise<Value> => {
    thread.ref();
    try {
      return await new Promise<Value>((resolve, reject) => {
        expectation = { onReply: make(resolve, reject), onEnd: reject };
      });
    } finally {
      expectation = undefined;
      thread.unref();
    }
  };

  const started = expecting<void>((settle, fail) => (reply) => {
    if (reply.type === 'ready') settle();
    if (reply.type === 'start_failed') fail(startError(settings, errorFromData(reply.error)));
  });

  let calls = 0;
  const run = (args: unknown, context: AttemptContext): Promise<unknown> => {
    const id = ++calls;
    const answered = expecting<unknown>((settle, fail) => (reply) => receive(reply, id, context, settle, fail));
    try {
      thread.postMessage(requestOf(id, args, context));
    } catch (cause) {
      expectation?.onEnd(runnerError('INVALID_ARGUMENT', `The arguments cannot be sent to a worker: ${messageOf(cause)}`, { cause }));
    }
    return answered;
  };
  return { worker: { run, terminate: () => thread.terminate(), hasEnded: () => ended }, started };
}

function receive(
  reply: WorkerReply,
  id: number,
  context: AttemptContext,
  settle: (output: unknown) => void,
  fail: (error: unknown) => void,
): void {
  // A settled call may still report from the same thread: it must not affect the next call.
  if (!('id' in reply) || reply.id !== id) return;
  if (reply.type === 'progress') context.reportProgress(reply.progress);
  else if (reply.type === 'partial') context.reportPartial(reply.output);
  else if (reply.type === 'result') settle(reply.output);
  else if (reply.type === 'error') fail(errorFromData(reply.error));
  else fail(runnerError('OUTPUT_NOT_CLONEABLE', `The output cannot be cloned: ${reply.reason}`));
}

function requestOf(id: number, args: unknown, context: AttemptContext): WorkerRequest {
  const { toolName, callId, turnId, attempt, idempotencyKey, timeoutMs } = context;
  return { id, args, attempt: { toolName, callId, turnId, attempt, idempotencyKey, timeoutMs } };
}

function environmentOf(env: NonNullable<WorkerSettings['env']>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, reveal(value)]));
}

function startError({ module }: WorkerSettings, cause: unknown): Error {
  return runnerError('WORKER_START_FAILED', `The worker could not load ${module}: ${messageOf(cause)}`, { cause });
}

function crashError(cause: unknown): Error {
  if (codeOf(cause) === 'ERR_WORKER_OUT_OF_MEMORY')
    return runnerError('WORKER_OUT_OF_MEMORY', 'The worker ran out of memory before it answered', { cause });
  return runnerError('WORKER_EXITED', `The worker crashed before it answered: ${messageOf(cause)}`, { cause });
}
