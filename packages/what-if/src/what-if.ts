/**
 * Owns the what-if over many turns: the results of recorded turns under other settings, as ranges in which the real result lies. Does not own the running
 * (`run-turns.ts`), when attempts are unknown (`gate-doubt.ts`, `load.ts`), or the bounds of one turn (`bounds.ts`).
 *
 * 1. A turn that no change can reach has its recorded figures.
 * 2. A figure that does not depend on anything unknown is exact: `low` equals `high`.
 * 3. Every trace is either among the turns or among those left out.
 */
import { checkOptions, type Fields, type Rule } from '@holdfast/core/internal/plain';
import { replayTurn } from '@holdfast/core/replay';
import { evaluatePeriod, type PeriodResult } from './evaluate-period.ts';
import { exactRange, plus, sum } from './figures.ts';
import { type ReadTurn, readTurns } from './read-turns.ts';
import { settingsPeriods } from './settings-of.ts';
import type { Compared, PolicyChanges, Range, RecordedTurn, WhatIf, WhatIfOptions, WhatIfTurn } from './types.ts';

const usual = { sameMomentMs: 100, maxUnknown: 2_000 } as const;

const whatIfFields: Fields = {
  sameMomentMs: ['a number of milliseconds, 0 or more', 0, Infinity],
  maxUnknown: ['a whole number, 0 or more', 0, Infinity, true],
  onProgress: 'function',
  isCancelled: 'function',
};

const unchecked: Rule = () => undefined;

/** The first replay checks their values. */
const changeFields: Fields = { recoveryRules: unchecked, policy: unchecked, tools: unchecked, turn: unchecked };

/**
 * Replays recorded turns under changed settings and returns their figures beside the recorded ones.
 * @throws TypeError or RangeError naming an invalid change and the fix; an Error of the code `CANCELLED` when `isCancelled` returns true.
 */
export function whatIf(traces: readonly RecordedTurn[], changes: PolicyChanges, options: WhatIfOptions = {}): WhatIf {
  checkOptions(whatIfFields, options, 'whatIf');
  checkOptions(changeFields, changes, "whatIf's changes");
  const { sameMomentMs = usual.sameMomentMs, maxUnknown = usual.maxUnknown, onProgress, isCancelled } = options;
  const { turns, leftOut } = readTurns(traces);
  const [first] = turns;
  if (first) checkChanges(first.recording.events, changes);
  const results: PeriodResult[] = [];
  let done = 0;
  for (const period of settingsPeriods(turns)) {
    results.push(
      evaluatePeriod(period, {
        changes,
        sameMomentMs,
        maxUnknown,
        check: () => {
          if (isCancelled?.()) throw Object.assign(new Error('what-if: cancelled'), { code: 'CANCELLED' });
        },
        onTurn: () => onProgress?.((done += 1), turns.length),
      }),
    );
  }
  const answers = results.flatMap((each) => each.turns);
  return {
    ...summary(answers),
    turns: answers,
    leftOut: [...leftOut, ...results.flatMap((each) => each.leftOut)].toSorted((one, other) => one.index - other.index),
    assumptions: [...assumptions(results, sameMomentMs), ...aboutSingleCalls(turns, changes)],
  };
}

/** Replaying the shortest turn reports what is wrong with them. */
function checkChanges(events: RecordedTurn, changes: PolicyChanges): void {
  const { recoveryRules, policy, tools, turn } = changes;
  try {
    replayTurn(events, { recoveryRules, policy, tools, turn, unknownAttempts: 'succeed', maxUnknown: 0 });
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (code !== 'TOO_MANY_UNKNOWN' && /options\./.test(message)) throw error;
  }
}

function summary(turns: readonly WhatIfTurn[]): Pick<WhatIf, 'total' | 'whole' | 'duration' | 'tools'> {
  const byTool = new Map<string, Compared[]>();
  for (const { parts } of turns)
    for (const part of parts) {
      const known = byTool.get(part.toolName);
      if (known) known.push(part);
      else byTool.set(part.toolName, [part]);
    }
  const names = [...byTool.keys()].toSorted();
  return {
    total: sum(turns),
    whole: addUp(turns.map(({ whole }) => whole)),
    duration: addUp(turns.map(({ duration }) => duration)),
    tools: Object.fromEntries(names.map((name) => [name, sum(byTool.get(name) ?? [])])),
  };
}

interface Pair {
  readonly recorded: number;
  readonly changed: Range;
}

function addUp(pairs: readonly Pair[]): Pair {
  return {
    recorded: pairs.reduce((total, { recorded }) => total + recorded, 0),
    changed: pairs.reduce((total, { changed }) => plus(total, changed), exactRange(0)),
  };
}

function aboutSingleCalls(turns: readonly ReadTurn[], { turn = {} }: PolicyChanges): readonly string[] {
  const calls = turns.filter(({ recording }) => recording.single).length;
  if (calls === 0 || (turn.timeoutMs === undefined && turn.concurrency === undefined)) return [];
  return [`The time limit and the concurrency of turns do not change ${calls === 1 ? 'the single call' : `the ${calls} single calls`}.`];
}

function assumptions(results: readonly PeriodResult[], sameMomentMs: number): readonly string[] {
  const unknown = results.reduce((total, each) => total + each.unknownTurns, 0);
  const sentences = [
    'A tool answers the same request at the same moment in the same way, regardless of other traffic, unless there are signs of load.',
  ];
  const otherMoment = sameMomentMs === Infinity ? '' : `, or made more than ${sameMomentMs} ms earlier or later`;
  if (unknown > 0)
    sentences.push(
      `${unknown} ${unknown === 1 ? 'turn depends' : 'turns depend'} on attempts that were never made${otherMoment}: these may succeed at once, fail or hang.`,
    );
  const reasons: readonly (readonly [(each: PeriodResult) => readonly string[], string])[] = [
    [(each) => each.doubtedTools, 'Unknown attempts decide whether their circuits and limits would have let calls through'],
    [
      (each) => each.loadedTools,
      'There are signs of load, and they would have been called differently, so observations from then are not used',
    ],
    [(each) => each.inconsistentTools, 'Their gates were affected by more than these traces show (other traffic, a fleet, a person)'],
  ];
  for (const [of, words] of reasons) {
    const names = [...new Set(results.flatMap(of))].toSorted();
    if (names.length > 0) sentences.push(`${words}: ${names.join(', ')}.`);
  }
  return sentences;
}
