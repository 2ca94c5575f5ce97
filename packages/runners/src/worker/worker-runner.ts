/**
 * Runs a tool in a worker thread, so that it can be terminated even if it never yields.
 *
 * Invariants
 * 1. One call per worker at a time. An idle worker is reused, an aborted or crashed one never.
 * 2. An aborted call settles when its thread has ended.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { AttemptContext, Runner } from '@holdfast/core';
import { onAbort } from '../abort.ts';
import { lifespan } from '../lifespan.ts';
import { runnerError } from '../runner-error.ts';
import { type WorkerRunnerOptions, type WorkerSettings, workerSettings } from './options.ts';
import { type ToolWorker, startToolWorker } from './tool-worker.ts';

/**
 * Runs the exported function `(args, context)` in a worker thread. Arguments and output are copied by structured clone. A worker is
 * not a security boundary: the tool can do everything that this process can.
 *
 * Rejects with the tool's own error (name, message, code, status, stack, cause and other plain fields kept), or with
 * `WORKER_START_FAILED`, `WORKER_START_TIMEOUT`, `WORKER_EXITED`, `WORKER_OUT_OF_MEMORY`, `OUTPUT_NOT_CLONEABLE`, `INVALID_ARGUMENT`,
 * `RUNNER_CLOSED`.
 * @throws TypeError for an invalid option
 */
export function workerRunner(options: WorkerRunnerOptions): Runner<unknown> {
  const settings = workerSettings(options);
  const life = lifespan('workerRunner');
  const idle: ToolWorker[] = [];

  const takeIdle = (): ToolWorker | undefined => {
    for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) if (!worker.hasEnded()) return worker;
    return undefined;
  };
  const giveBack = async (worker: ToolWorker): Promise<void> => {
    if (!worker.hasEnded() && !life.isClosed() && idle.length < settings.keepIdle) idle.push(worker);
    else await worker.terminate();
  };

  const call = async (args: unknown, context: AttemptContext, signal: AbortSignal): Promise<unknown> => {
    let held = takeIdle();
    const stop = stopAtAbort(signal, () => held);
    try {
      held ??= await freshWorker(settings, (worker) => (held = worker));
      signal.throwIfAborted();
      return await held.run(args, context);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      stop();
      if (held !== undefined) await (signal.aborted ? held.terminate() : giveBack(held));
    }
  };

  const run: Runner<unknown> = (args, context) => life.during(context.signal, (signal) => call(args, context, signal));
  const close = async (): Promise<void> => {
    await life.close();
    await Promise.all(idle.splice(0).map((worker) => worker.terminate()));
  };
  return Object.assign(run, { kind: 'worker' as const, close });
}

/** Terminating the thread rejects its call. */
function stopAtAbort(signal: AbortSignal, held: () => ToolWorker | undefined): () => void {
  return onAbort(signal, () => void held()?.terminate());
}

async function freshWorker(settings: WorkerSettings, onMade: (worker: ToolWorker) => void): Promise<ToolWorker> {
  const { worker, started } = startToolWorker(settings);
  onMade(worker);
  const waiting = new AbortController();
  const late = wait(settings.startupTimeoutMs, undefined, { signal: waiting.signal }).then(() => {
    const message = `The worker did not load ${settings.module} within ${settings.startupTimeoutMs} ms`;
    throw runnerError('WORKER_START_TIMEOUT', message, { ambiguous: false });
  });
  try {
    await Promise.race([started, late]);
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  } finally {
    waiting.abort();
    late.catch(() => {});
  }
}
