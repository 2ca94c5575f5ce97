/**
 * Owns working something out of recorded turns: of a small turn here, in parts; of a larger one in a thread of its own, few at once, for a limited time, with
 * limited memory.
 *
 * Invariant: no task holds up the calls of the gateway, and none outlives its limit, its client or the gateway.
 */
import { Worker } from 'node:worker_threads';
import { setImmediate as pause } from 'node:timers/promises';
import type { TraceEvent } from '@holdfast/core';
import { notNow, type Refusal } from '../problem.ts';
import { doTask } from './do-task.ts';
import type { TaskMessage, Reply, TurnTask } from './protocol.ts';

export interface TurnWorkLimits {
  /** At once. */
  readonly running: number;
  /** @default 15000 */
  readonly limitMs?: number | undefined;
  /** Of a turn. */
  readonly events: number;
  /** Of a turn of at most so many it is worked out here, in parts of about 20 milliseconds. @default 250 */
  readonly eventsHere?: number | undefined;
}

const usualLimits = { limitMs: 15_000, eventsHere: 250 } as const;

export interface TurnQuestion {
  readonly events: readonly TraceEvent[];
  readonly task: TurnTask;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export type TurnAnswer = { readonly bytes: Uint8Array<ArrayBuffer>; readonly refusal?: undefined } | { readonly refusal: Refusal };

/** The sources run unbuilt too, so the thread's file has the ending of this one. */
const unbuilt = import.meta.url.endsWith('.ts');
const threadFile = new URL(unbuilt ? './thread.ts' : './thread.js', import.meta.url);
const execArgv = unbuilt ? ['--conditions=@holdfast/source'] : [];
const resourceLimits = { maxOldGenerationSizeMb: 512 } as const;

/** Attempts of a what-if that no record tells about, as long as it is worked out here. */
const mostUnknownHere = 200;

/** What is handed over at once takes about a millisecond. */
const sliceEvents = 250;

export class TurnWork {
  readonly #limits: { readonly [Name in keyof TurnWorkLimits]-?: number };
  #size = 0;
  readonly #workers = new Set<Worker>();

  constructor({ running, events, limitMs = usualLimits.limitMs, eventsHere = usualLimits.eventsHere }: TurnWorkLimits) {
    this.#limits = { running, events, limitMs, eventsHere };
  }

  get size(): number {
    return this.#size;
  }

  async ask(question: TurnQuestion): Promise<TurnAnswer> {
    const { running, events: most, eventsHere } = this.#limits;
    const { events, task } = question;
    if (events.length > most) return { refusal: tooLarge(events.length, most) };
    if (this.#size >= running)
      return { refusal: notNow(429, 'TOO_MANY_TASKS', `${running} what-ifs and exports are being worked out; there are no more at once`) };
    this.#size += 1;
    try {
      if (events.length > eventsHere) return await this.#askThread(question);
      await pause();
      const reply = await doTask(events, task, { mostUnknown: mostUnknownHere, pause });
      return 'isTooMuch' in reply && reply.isTooMuch ? await this.#askThread(question) : replied(reply);
    } finally {
      this.#size -= 1;
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
      const [answered] = await Promise.all([reply, hand(worker, events, task)]);
      return answered === undefined ? { refusal: tooLong(limitMs) } : replied(answered);
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

const replied = (reply: Reply): TurnAnswer => ('bytes' in reply ? { bytes: reply.bytes } : { refusal: notReplayable(reply.problem) });

async function hand(worker: Worker, events: readonly TraceEvent[], task: TurnTask): Promise<void> {
  for (let from = 0; from < events.length; from += sliceEvents) {
    worker.postMessage({ events: events.slice(from, from + sliceEvents) } satisfies TaskMessage);
    await pause();
  }
  worker.postMessage({ task } satisfies TaskMessage);
}

/** `undefined`: it was ended. */
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

const tooLarge = (events: number, most: number): Refusal => ({
  status: 422,
  error: {
    code: 'TURN_TOO_LARGE',
    message: `The turn has ${events} events`,
    field: 'turn_id',
    allowed: `at most ${most}`,
    hint: 'Export its events themselves: format=ndjson.',
  },
});

const tooLong = (limitMs: number): Refusal => ({
  status: 422,
  error: {
    code: 'TASK_TOO_LARGE',
    message: `It came to no end within ${limitMs} ms, or took too much memory`,
    hint: 'Try settings with fewer attempts, or export the events themselves: format=ndjson.',
  },
});

export const notReplayable = (problem: string): Refusal => ({
  status: 422,
  error: { code: 'NOT_REPLAYABLE', message: problem.charAt(0).toUpperCase() + problem.slice(1) },
});
