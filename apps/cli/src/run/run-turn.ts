/**
 * Runs a turn in this process, from the loaded files to the exit code.
 *
 * Invariant: on every path, the display is closed before anything else is written, and the session is closed before this returns.
 */
import type { TurnPlan, TurnResult } from '@holdfast/core';
import { type Manifest, fromReport } from '@holdfast/manifest';
import type { GlobalOptions } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import { printResults } from '../results.ts';
import { type Session, openSession } from '../session.ts';
import { watchSignals } from '../signals.ts';
import { openStore } from '../store.ts';
import type { Console, OutputMode } from '../terminal/console.ts';
import { redirectStrayOutput } from '../terminal/stray-output.ts';
import { printNextSteps } from './next-steps.ts';
import { type TurnDisplay, createDisplay } from './display.ts';
import { exitCodeOf } from './exit-code.ts';

export interface RunOptions extends GlobalOptions {
  readonly seed?: string;
  readonly turnId?: string;
  readonly timeout?: number;
  readonly output: OutputMode;
  readonly fresh?: boolean;
  /** The address of a running gateway that runs the turn. */
  readonly gateway?: string;
  /** The environment variable that holds the gateway's token. */
  readonly tokenEnv?: string;
}

export async function runTurn(manifest: Manifest, turn: TurnPlan, options: RunOptions, console: Console): Promise<number> {
  // Until the display exists, warnings go to the console.
  let note: (text: string) => void = console.warn;
  const store = await openStore(options, manifest, (problem) => note(problem));
  const session = await openSession({
    manifest,
    store,
    seed: options.seed,
    restoreCircuits: options.fresh !== true,
    onFault: (text) => note(text),
  });
  const display = createDisplay(options.output, console);
  note = display.note;
  const watch = watchSignals((name) => display.note(`${name}: cancelling the turn; press Ctrl-C again to quit at once.`));
  const removeGuard = guardDisplay(display, options);
  try {
    const result = await execute(
      session,
      { ...turn, ...(options.turnId === undefined ? {} : { turnId: options.turnId }) },
      display,
      options,
      watch.signal,
    );
    watch.disarm();
    note = console.warn;
    removeGuard();
    if (result.problems) throw new UsageError(`the turn cannot be run: ${result.problems.join(' ')}`);
    printResults(fromReport(result), result.results, options.output, console);
    await session.close();
    if (options.output !== 'json')
      printNextSteps(store && { place: store.place, status: session.storeStatus() }, display.view(), options, console);
    return watch.exitCode() !== undefined && result.outcome === 'cancelled'
      ? (watch.exitCode() ?? exitCodeOf('cancelled'))
      : exitCodeOf(result.outcome);
  } finally {
    display.close();
    removeGuard();
    await session.close();
    watch.stop();
  }
}

async function execute(
  session: Session,
  turn: TurnPlan,
  display: TurnDisplay,
  { timeout }: RunOptions,
  signal: AbortSignal,
): Promise<TurnResult> {
  const unsubscribe = session.service.subscribe(display.event);
  try {
    return await session.service.executeTurn(turn, { signal, ...(timeout === undefined ? {} : { timeoutMs: timeout }) });
  } finally {
    unsubscribe();
    display.close();
  }
}

/** Keeps tools in this process from corrupting the display or crashing the turn. Returns a function that removes the guard; safe to call twice. */
function guardDisplay(display: TurnDisplay, { debug }: RunOptions): () => void {
  const restoreOutput = redirectStrayOutput(display.note);
  const onStrayError = (error: unknown): void => {
    display.note(`A tool failed outside its call: ${String(error instanceof Error && debug ? error.stack : error)}`);
  };
  process.on('uncaughtException', onStrayError);
  let guarding = true;
  return () => {
    if (!guarding) return;
    guarding = false;
    restoreOutput();
    process.off('uncaughtException', onStrayError);
  };
}
