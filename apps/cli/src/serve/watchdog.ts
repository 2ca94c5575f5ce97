/**
 * Ends a long-running program whose main thread has stopped. Signals are handled on the main thread: without this, a loop that does not turn
 * leaves only SIGKILL, and supervisors wait.
 *
 * Invariants
 * 1. A thread of its own decides, so nothing on the main thread can prevent it.
 * 2. A suspended process, or one at a breakpoint, is not ended.
 */
import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** What the thread gets: a counter of beats, and the limit of a shutdown in milliseconds, 0 before one. */
export interface WatchdogData {
  readonly state: SharedArrayBuffer;
  readonly tickMs: number;
  readonly frozenMs: number;
}

export interface Watchdog {
  /** From now on the process has so long to end. */
  readonly limitShutdown: (limitMs: number) => void;
  readonly stop: () => Promise<unknown>;
}

const tickMs = 250;
/** Nothing that the gateway does takes a second of its main thread. */
const defaultFrozenMs = 8_000;

const threadFile = new URL(import.meta.url.endsWith('.ts') ? './watchdog-thread.ts' : './watchdog-thread.js', import.meta.url);

export function startWatchdog(frozenMs: number = defaultFrozenMs): Watchdog {
  const state = new SharedArrayBuffer(8);
  const fields = new Int32Array(state);
  const limits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 1 };
  const data: WatchdogData = { state, tickMs, frozenMs: inspectorUrl() === undefined ? frozenMs : Infinity };
  const thread = new Worker(threadFile, { name: 'holdfast-watchdog', workerData: data, resourceLimits: limits, execArgv: [] });
  thread.unref();
  // Without the thread, the program runs unguarded.
  thread.on('error', () => undefined);
  const beat = setInterval(() => void Atomics.add(fields, 0, 1), tickMs);
  beat.unref();
  return {
    limitShutdown: (limitMs) => void Atomics.store(fields, 1, limitMs),
    stop: () => {
      clearInterval(beat);
      return thread.terminate();
    },
  };
}
