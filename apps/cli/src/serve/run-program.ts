/**
 * Runs a long-running program (gateway or worker) with its store, signal handling, and a guard against output and errors of tools outside of their calls.
 *
 * Invariants
 * 1. The first signal drains, the second exits at once.
 * 2. After the first signal, the process ends within the time to drain and `closeMs`, but not within less than `leastMs`, whatever its main thread does.
 */
import type { Store } from '@holdfast/core/store';
import type { Manifest } from '@holdfast/manifest';
import { type GlobalOptions, configPath } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import { shutdownSignals, watchSignals } from '../signals.ts';
import { openStore } from '../store.ts';
import type { Console } from '../terminal/console.ts';
import { guardProcess } from './process-guard.ts';
import type { OperatorLog } from './operator-log.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

export type LogFormat = Manifest['gateway']['log'];

/** Text on a terminal, unless an option says otherwise. */
export const logFormatOf = (option: LogFormat | undefined, manifest: Manifest, console: Console): LogFormat =>
  option ?? (console.err.isTTY && manifest.gateway.log === 'json' ? 'text' : manifest.gateway.log);

/** What each program gets. */
export interface ProgramParts {
  readonly signal: AbortSignal;
  readonly store: Store | undefined;
  readonly onMessage: OperatorLog['warn'];
  readonly reloadFrom: string;
}

export interface ProgramOptions {
  readonly options: GlobalOptions;
  readonly manifest: Manifest;
  readonly operatorLog: OperatorLog;
  /** How long running work may take after the first signal. */
  readonly drainMs: number;
  /** What that time is for, for the log. */
  readonly drains: string;
}

/** For closing servers, files and connections after the drain. */
const closeMs = 2_250;
/** Less than the ten seconds after which most supervisors kill a process. */
const leastMs = 9_250;

/** `run` calls `ready` once the program has started: an earlier error is a usage error, a later one a bug. */
export async function runProgram(
  { options, manifest, operatorLog, drainMs, drains }: ProgramOptions,
  run: (parts: ProgramParts, ready: () => void) => Promise<number>,
): Promise<number> {
  const removeGuard = guardProcess(operatorLog, options.debug);
  const store = await openStore(options, manifest, operatorLog.warn);
  let watchdog: Watchdog | undefined;
  const watch = watchSignals((name) => {
    watchdog?.limitShutdown(Math.max(leastMs, drainMs + closeMs));
    operatorLog.note(`${name}: waiting up to ${drainMs} ms for ${drains}; press Ctrl-C again to quit at once.`);
  }, shutdownSignals());
  let isReady = false;
  try {
    return await run({ signal: watch.signal, store, onMessage: operatorLog.warn, reloadFrom: configPath(options) }, () => {
      isReady = true;
      watchdog = startWatchdog();
    });
  } catch (error) {
    if (isReady || options.debug === true) throw error;
    throw new UsageError(error instanceof Error ? error.message : String(error));
  } finally {
    await store?.flush();
    await store?.close();
    watch.stop();
    // After a signal it watches until the process has ended: output may still wait for its reader.
    if (!watch.signal.aborted) await watchdog?.stop();
    removeGuard();
  }
}
