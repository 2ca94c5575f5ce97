/** `holdfast tune`: searches better settings for a tool and writes them down for review. */
import { tune, type Tuned } from '@holdfast/simulate';
import { type RecordedTurn } from '@holdfast/what-if';
import { suggest } from '@holdfast/core/internal/plain';
import type { Action } from '../action.ts';
import { configPath, displayed, type GlobalOptions } from '../config.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { toolsOf } from '../lab/changes.ts';
import { isBelow, manifestChange } from '../lab/manifest-change.ts';
import { readTurns } from '../lab/read-turns.ts';
import { tunedData } from '../lab/tuned-data.ts';
import { watchSignals } from '../signals.ts';
import { withHistory } from '../store.ts';
import type { Console } from '../terminal/console.ts';
import { createProgress } from '../terminal/progress.ts';
import { quotedArgument } from '../terminal/quoting.ts';
import { refuseExisting, writeNew } from '../terminal/write-new.ts';
import { renderTuned } from '../view/lab/tuned.ts';

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

export const act: Action<string, TuneCommandOptions> = async (tool, options, console) => {
  // Nobody waits for a search whose answer cannot be written.
  if (options.write !== undefined) refuseExisting(options.write);
  const manifest = options.write === undefined ? undefined : configPath(options);
  const { traces } = await withHistory(options, console, (store) =>
    readTurns(store, { since: options.since ?? Date.now() - weekMs, limit: options.limit, onRead: () => undefined }),
  );
  checkKnown(tool, traces);
  const signals = watchSignals(() => console.note('Ending the search with what it has found; press Ctrl-C again to quit at once.'));
  const tuned = await searched(tool, traces, options, () => signals.signal.aborted, console);
  signals.stop();
  if (options.output === 'json') console.out.line(JSON.stringify(tunedData(tuned)));
  else for (const line of renderTuned(tuned, { all: options.all === true }, console.surface())) console.out.line(line);
  if (options.write !== undefined && manifest !== undefined) await write(options.write, manifest, tuned, console);
  return signals.exitCode() ?? exitCodes.ok;
};

function checkKnown(tool: string, traces: readonly RecordedTurn[]): void {
  const known = toolsOf(traces);
  if (known.includes(tool)) return;
  const near = suggest(tool, known);
  const hint = near === undefined ? ` They have called ${known.join(', ') || 'nothing'}.` : ` Did you mean '${near}'?`;
  throw new UsageError(`no turn since then has called '${tool}'.${hint}`);
}

async function searched(
  tool: string,
  traces: readonly RecordedTurn[],
  { candidates, seed }: TuneCommandOptions,
  isCancelled: () => boolean,
  console: Console,
): Promise<Tuned> {
  const progress = createProgress(console);
  try {
    return await tune({
      tool,
      traces,
      seed,
      mostCandidates: candidates,
      isCancelled,
      onProgress: ({ stage, done, total }) =>
        progress.show(stage === 'lab' ? `settings tried: ${done} of at most ${total}` : `recorded turns asked: ${done} of ${total}`),
      // A signal is heard between two steps only.
      pause: () => new Promise((resolve) => void setImmediate(resolve)),
    });
  } catch (error) {
    if (error instanceof RangeError && error.message.startsWith('tune: ')) throw new UsageError(error.message.replace('tune: ', ''));
    throw error;
  } finally {
    progress.done();
  }
}

async function write(path: string, manifest: string, { tool, recommended }: Tuned, console: Console): Promise<void> {
  if (!recommended) return console.note('\nNothing was written: no change is recommended.');
  await writeNew(path, await manifestChange(manifest, tool, recommended.point.changes));
  const to = isBelow(manifest) ? '-p1' : quotedArgument(manifest);
  console.note(
    `\n wrote  ${displayed(path)}\n\n${manifest} is as it was. When you have read the change, apply it with: patch ${to} < ${quotedArgument(displayed(path))}`,
  );
}
