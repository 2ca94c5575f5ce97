/** `holdfast whatif`: how recorded turns would have ended under other settings. */
import { type PolicyChanges, type RecordedTurn, type WhatIf, whatIf } from '@holdfast/what-if';
import type { Action } from '../action.ts';
import type { GlobalOptions } from '../config.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { changesOf } from '../lab/changes.ts';
import { loadRecordedPolicy } from '../lab/policies.ts';
import { readTurns } from '../lab/read-turns.ts';
import { whatIfData } from '../lab/what-if-data.ts';
import { withHistory } from '../store.ts';
import type { Console } from '../terminal/console.ts';
import { createProgress } from '../terminal/progress.ts';
import { renderWhatIf } from '../view/lab/what-if.ts';

interface WhatifOptions extends GlobalOptions {
  readonly policy: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly tool?: string;
  readonly limit: number;
  readonly output: 'auto' | 'json';
}

const dayMs = 86_400_000;

export const execute: Action<undefined, WhatifOptions> = async (_none, options, console) => {
  const { policy, tool, limit, since = Date.now() - dayMs } = options;
  // Fail before reading the history, not after it.
  const file = await loadRecordedPolicy(policy, console);
  const progress = createProgress(console);
  const { traces, truncated } = await withHistory(options, console, (store) =>
    readTurns(store, { since, limit, onRead: (read) => progress.show(`${read} turns read`) }),
  );
  progress.clear();
  if (truncated) console.note(`There are more turns in that period; used the newest ${limit}. Raise --limit to use more.`);
  const answer = runWhatIf(traces, changesOf({ name: policy, file, tool }, traces, console), console);
  if (options.output === 'json') console.out.writeLine(JSON.stringify(whatIfData(answer, tool)));
  else for (const line of renderWhatIf(answer, { policy, tool }, console.surface())) console.out.writeLine(line);
  return exitCodes.ok;
};

function runWhatIf(traces: readonly RecordedTurn[], changes: PolicyChanges, console: Console): WhatIf {
  const progress = createProgress(console);
  try {
    return whatIf(traces, changes, { onProgress: (done, total) => progress.show(`${done} of ${total} turns`) });
  } catch (error) {
    // A message that names an option is about the policy; anything else is a bug.
    if (error instanceof Error && error.message.includes('options.')) throw new UsageError(error.message.replace(/^replay: options\./, ''));
    throw error;
  } finally {
    progress.clear();
  }
}
