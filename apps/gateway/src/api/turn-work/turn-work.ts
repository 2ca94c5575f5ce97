/**
 * Owns tasks on recorded turns. A task on a small turn runs in the main thread, in parts; one on a larger turn runs in a worker thread, with limits on
 * their number, their time and their memory.
 *
 * Invariant: no task blocks the calls of the gateway, and none outlives its time limit, its client or the gateway.
 */
import { Worker } from 'node:worker_threads';
import { setImmediate as pause } from 'node:timers/promises';
import type { TraceEvent } from '@holdfast/core';
import { FairShare } from '@holdfast/mcp-wire/server';
import { notNow, type Refusal } from '../problem.ts';
import { doTask } from './do-task.ts';
import type { TaskMessage, Reply, TurnTask } from './protocol.ts';

export interface TurnWorkLimits {
  /** Maximum number at the same time. */
  readonly running: number;
  /** @default 15000 */
  readonly limitMs?: number | undefined;
  /** Maximum number of events of a turn. */
  readonly events: number;
  /** A task on a turn with at most this many events runs in the main thread, in parts of about 20 milliseconds. @default 250 */
  readonly eventsHere?: number | undefined;
}

const usualLimits = { limitMs: 15_000, eventsHere: 250 } as const;

export interface TurnQuestion {
  readonly events: readonly TraceEvent[];
  readonly task: TurnTask;
  /** The client, if there are several. */
  readonly owner?: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export type TurnAnswer = { readonly bytes: Uint8Array<ArrayBuffer>; readonly refusal?: undefined } | { readonly refusal: Refusal };

/** The sources also run unbuilt, so the file of the thread has the same extension as this one. */
const unbuilt = import.meta.url.endsWith('.ts');
const threadFile = new URL(unbuilt ? './thread.ts' : './thread.js', import.meta.url);
const execArgv = unbuilt ? ['--conditions=@holdfast/source'] : [];
const resourceLimits = { maxOldGenerationSizeMb: 512 } as const;

/** The maximum number of unrecorded attempts of a what-if in the main thread. */
const maxUnknownHere = 200;

/** Copying this many events takes about a millisecond. */
const sliceEvents = 250;

export class TurnWork {
  readonly #limits: { readonly [Name in keyof TurnWorkLimits]-?: number };
  readonly #share: FairShare;
  readonly #workers = new Set<Worker>();

  constructor({ running, events, limitMs = usualLimits.limitMs, eventsHere = usualLimits.eventsHere }: TurnWorkLimits) {
    this.#limits = { running, events, limitMs, eventsHere };
    this.#share = new FairShare(running);
  }

  get size(): number {
    return this.#share.total;
  }

  async ask(question: TurnQuestion): Promise<TurnAnswer> {
    const { running, events: maxEvents, eventsHere } = this.#limits;
    const { events, task, owner } = question;
    if (events.length > maxEvents) return { refusal: tooLarge(events.length, maxEvents) };
    if (!this.#share.admits(owner)) {
      const isFull = this.#share.total >= running;
      const message = isFull
        ? `${running} what-ifs and exports are running, which is the limit`
        : 'This client has too many what-ifs and exports running';
      return { refusal: notNow(429, 'TOO_MANY_TASKS', message) };
    }
    this.#share.take(owner);
    try {
      if (events.length > eventsHere) return await this.#askThread(question);
      await pause();
      const reply = await doTask(events, task, { maxUnknown: maxUnknownHere, pause });
      return 'isTooMuch' in reply && reply.isTooMuch ? await this.#askThread(question) : toAnswer(reply);
    } finally {
      this.#share.release(owner);
    }
  }

  async #askThread({ events, task, signal }: TurnQuestion): Promise<TurnAnswer> {
    const { limitMs } = this.#limits;
    const worker = new Worker(threadFile, { name: 'holdfast-turn-work', execArgv, resourceLimits });
    this.#workers.add(worker);
    const end = (): void => void worker.terminate();
    const timer = setTimeout(end, limitMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      const reply = replyOf(worker);
      const [answered] = await Promise.all([reply, send(worker, events, task)]);
      return answered === undefined ? { refusal: tooLong(limitMs) } : toAnswer(answered);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      this.#workers.delete(worker);
      end();
    }
  }

  endAll(): void {
    for (const worker of this.#workers) void worker.terminate();
  }
}

const toAnswer = (reply: Reply): TurnAnswer => ('bytes' in reply ? { bytes: reply.bytes } : { refusal: notReplayable(reply.problem) });

async function send(worker: Worker, events: readonly TraceEvent[], task: TurnTask): Promise<void> {
  for (let from = 0; from < events.length; from += sliceEvents) {
    worker.postMessage({ events: events.slice(from, from + sliceEvents) } satisfies TaskMessage);
    await pause();
  }
  worker.postMessage({ task } satisfies TaskMessage);
}

/** `undefined` when the worker was terminated. */
function replyOf(worker: Worker): Promise<Reply | undefined> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(undefined);
      else reject(error);
    });
    worker.once('exit', () => resolve(undefined));
  });
}

const tooLarge = (events: number, maxEvents: number): Refusal => ({
  status: 422,
  error: {
    code: 'TURN_TOO_LARGE',
    message: `The turn has ${events} events`,
    field: 'turn_id',
    allowed: `at most ${maxEvents}`,
    hint: 'Export the events instead: format=ndjson.',
  },
});

const tooLong = (limitMs: number): Refusal => ({
  status: 422,
  error: {
    code: 'TASK_TOO_LARGE',
    message: `The task did not end within ${limitMs} ms, or used too much memory`,
    hint: 'Try settings with fewer attempts, or export the events instead: format=ndjson.',
  },
});

const notReplayable = (problem: string): Refusal => ({
  status: 422,
  error: { code: 'NOT_REPLAYABLE', message: problem.charAt(0).toUpperCase() + problem.slice(1) },
});
