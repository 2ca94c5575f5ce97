/**
 * Owns what a program that stays has around it: its store, the signals that end it, and what tools print or throw beside their calls.
 *
 * Invariant: the first signal drains, the second ends at once.
 */
import type { Store } from '@holdfast/core/store';
import type { Manifest } from '@holdfast/manifest';
import { type GlobalOptions, configPath } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import { endingSignals, watchSignals } from '../signals.ts';
import { openStore } from '../store.ts';
import type { Console } from '../terminal/console.ts';
import { guardProgram } from './guard.ts';
import type { Voice } from './voice.ts';

export type LogKind = Manifest['gateway']['log'];

/** Somebody who looks on reads text, unless it was asked for otherwise. */
export const logOf = (asked: LogKind | undefined, manifest: Manifest, console: Console): LogKind =>
  asked ?? (console.err.isTTY && manifest.gateway.log === 'json' ? 'text' : manifest.gateway.log);

/** What every such program is given. */
export interface ProgramParts {
  readonly signal: AbortSignal;
  readonly store: Store | undefined;
  readonly onMessage: Voice['warn'];
  readonly reloadFrom: string;
}

export interface ProgramOptions {
  readonly options: GlobalOptions;
  readonly manifest: Manifest;
  readonly voice: Voice;
  /** Said at the first signal, behind its name. */
  readonly leaving: string;
}

/** `run` calls `ready` once the program stands: an error before that says what stands in the way of starting. */
export async function runProgram(
  { options, manifest, voice, leaving }: ProgramOptions,
  run: (parts: ProgramParts, ready: () => void) => Promise<number>,
): Promise<number> {
  const restore = guardProgram(voice, options.debug);
  const store = await openStore(options, manifest, voice.warn);
  const watch = watchSignals((name) => voice.note(`${name}: ${leaving}; press Ctrl-C again to quit at once.`), endingSignals());
  let isReady = false;
  try {
    return await run({ signal: watch.signal, store, onMessage: voice.warn, reloadFrom: configPath(options) }, () => {
      isReady = true;
    });
  } catch (error) {
    if (isReady || options.debug === true) throw error;
    throw new UsageError(error instanceof Error ? error.message : String(error));
  } finally {
    await store?.flush();
    await store?.close();
    watch.stop();
    restore();
  }
}
