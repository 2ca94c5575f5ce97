/** `holdfast tune`: searches for better settings of a tool and writes them as a diff for review. */
import { tune, type Tuned } from '@holdfast/simulate';
import { type RecordedTurn } from '@holdfast/what-if';
import { suggest } from '@holdfast/core/internal/plain';
import type { Action } from '../action.ts';
import { configPath, displayPath, type GlobalOptions } from '../config.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { toolsOf } from '../lab/changes.ts';
import { isInWorkingFolder, manifestChange } from '../lab/manifest-change.ts';
import { readTurns } from '../lab/read-turns.ts';
import { tuningData } from '../lab/tuning-data.ts';
import { watchSignals } from '../signals.ts';
import { withHistory } from '../store.ts';
import type { Console } from '../terminal/console.ts';
import { createProgress } from '../terminal/progress.ts';
import { quoteArgument } from '../terminal/quote-argument.ts';
import { refuseExisting, writeNewFile } from '../terminal/write-new-file.ts';
import { renderTuning } from '../view/lab/tuning.ts';

interface TuneCommandOptions extends GlobalOptions {
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly limit: number;
  readonly candidates: number;
  readonly seed: string;
  readonly all?: boolean;
  readonly write?: string;
  readonly output: 'auto' | 'json';
}

const weekMs = 7 * 86_400_000;

export const execute: Action<string, TuneCommandOptions> = async (tool, options, console) => {
  // Fail before the search, not after it.
  if (options.write !== undefined) refuseExisting(options.write);
  const manifest = options.write === undefined ? undefined : configPath(options);
  const { traces } = await withHistory(options, console, (store) =>
    readTurns(store, { since: options.since ?? Date.now() - weekMs, limit: options.limit, onRead: () => undefined }),
  );
  checkToolWasCalled(tool, traces);
  const signals = watchSignals(() => console.note('Stopping the search with the results so far; press Ctrl-C again to quit at once.'));
  const tuned = await searchSettings(tool, traces, options, () => signals.signal.aborted, console);
  signals.stop();
  if (options.output === 'json') console.out.writeLine(JSON.stringify(tuningData(tuned)));
  else for (const line of renderTuning(tuned, { all: options.all === true }, console.surface())) console.out.writeLine(line);
  if (options.write !== undefined && manifest !== undefined) await writeChange(options.write, manifest, tuned, console);
  return signals.exitCode() ?? exitCodes.ok;
};

function checkToolWasCalled(tool: string, traces: readonly RecordedTurn[]): void {
  const known = toolsOf(traces);
  if (known.includes(tool)) return;
  const near = suggest(tool, known);
  const hint = near === undefined ? ` Tools that were called: ${known.join(', ') || 'none'}.` : ` Did you mean '${near}'?`;
  throw new UsageError(`no turn in that period calls '${tool}'.${hint}`);
}

async function searchSettings(
  tool: string,
  traces: readonly RecordedTurn[],
  { candidates, seed }: TuneCommandOptions,
  isCancelled: () => boolean,
  console: Console,
): Promise<Tuned> {
  const progress = createProgress(console);
  try {
    return await tune({
      toolName: tool,
      traces,
      seed,
      maxCandidates: candidates,
      isCancelled,
      onProgress: ({ stage, done, total }) =>
        progress.show(stage === 'lab' ? `settings tried: ${done} of at most ${total}` : `recorded turns replayed: ${done} of ${total}`),
      // Signals are only handled between two steps.
      pause: () => new Promise((resolve) => void setImmediate(resolve)),
    });
  } catch (error) {
    if (error instanceof RangeError && error.message.startsWith('tune: ')) throw new UsageError(error.message.replace('tune: ', ''));
    throw error;
  } finally {
    progress.clear();
  }
}

async function writeChange(path: string, manifest: string, { toolName: tool, recommended }: Tuned, console: Console): Promise<void> {
  if (!recommended) return console.note('\nNothing was written: no change is recommended.');
  await writeNewFile(path, await manifestChange(manifest, tool, recommended.point.changes));
  const target = isInWorkingFolder(manifest) ? '-p1' : quoteArgument(manifest);
  console.note(
    `\n wrote  ${displayPath(path)}\n\n${manifest} is unchanged. After review, apply the change with: patch ${target} < ${quoteArgument(displayPath(path))}`,
  );
}
