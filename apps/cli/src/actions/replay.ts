/** `holdfast replay`: repeats a recorded turn, offline and in virtual time. */
import type { Action } from '../action.ts';
import type { RecordedDecision } from '@holdfast/core/trace';
import { type DecisionDifference, type Replay, type ReplayDifference, type ReplayOptions, replayTurn } from '@holdfast/core/replay';
import type { GlobalOptions } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { type FoundTurn, findTurn } from '../find-turn.ts';
import { changesOf } from '../lab/changes.ts';
import { isProfile, loadRecordedPolicy } from '../lab/policies.ts';
import { withHistory } from '../store.ts';
import type { Console } from '../terminal/console.ts';
import { foldTurn, turnTotals, type CallView, type TurnView } from '@holdfast/core/turn-view';
import type { Surface } from '../view/text/cell.ts';
import { renderSummary } from '../view/summary/summary.ts';
import { cell, lineText } from '../view/text/cell.ts';
import { sentenceLines } from '../view/summary/wrap.ts';
import { pluralize, formatDuration } from '../view/text/format.ts';

interface ReplayCommandOptions extends GlobalOptions {
  readonly policy?: string;
  readonly run?: number;
  readonly output: 'auto' | 'json';
}

export const execute: Action<string | undefined, ReplayCommandOptions> = async (turn, options, console) => {
  const found = await withHistory(options, console, (store) => findTurn(store, turn, options.run));
  const changes = options.policy === undefined ? {} : await readChanges(options.policy, found, console);
  const replay = runReplay(found, changes);
  if (options.output === 'json') for (const event of replay.trace) console.out.writeLine(JSON.stringify(event));
  else
    printReplay(
      replay,
      { view: foldTurn(withTurnStart(replay.trace, found, changes)), recorded: foldTurn(found.events), policy: options.policy },
      console,
    );
  return options.policy === undefined && replay.differences.length > 0 ? exitCodes.failed : exitCodes.ok;
};

/** A file's recovery rules replace the recorded ones, also when it has none; a profile keeps them. */
async function readChanges(policy: string, { events }: FoundTurn, console: Console): Promise<ReplayOptions> {
  const file = await loadRecordedPolicy(policy, console);
  const changes = changesOf({ name: policy, file, tool: undefined }, [events], console);
  return isProfile(policy) ? changes : { ...changes, recoveryRules: file.recoveryRules };
}

function runReplay({ events }: FoundTurn, changes: ReplayOptions): Replay {
  try {
    return replayTurn(events, changes);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message.replace(/^replay: /, ''));
    throw error;
  }
}

/** A what-if trace starts after `TurnStarted`, since its plan is the recorded one. */
function withTurnStart(trace: Replay['trace'], { events }: FoundTurn, { turn }: ReplayOptions): Replay['trace'] {
  const start = events.find((event) => event.event_type === 'TurnStarted');
  if (start?.event_type !== 'TurnStarted' || trace[0]?.event_type === 'TurnStarted') return trace;
  return [turn?.timeoutMs === undefined ? start : { ...start, timeout_ms: turn.timeoutMs }, ...trace];
}

interface ReplayViews {
  readonly view: TurnView;
  readonly recorded: TurnView;
  readonly policy: string | undefined;
}

function printReplay(
  { differences, assumptions, interrupted }: Replay,
  { view, recorded, policy }: ReplayViews,
  { out, surface }: Console,
): void {
  const decisions = view.calls.reduce((sum, call) => sum + call.decisions.length, 0);
  for (const line of renderSummary(view, surface())) out.writeLine(line);
  out.writeLine();
  if (interrupted) out.writeLine(' The recorded turn was interrupted; the rest of it is assumed.');
  const printSentence = (sentence: string): void => {
    for (const line of sentenceLines(sentence, surface())) out.writeLine(line);
  };
  if (policy !== undefined) {
    printSentence(`As recorded: ${describeTurn(recorded)}.`);
    printSentence(`With ${policy}: ${describeTurn(view)}.`);
    for (const change of describeResultChanges(recorded, view)) printSentence(change);
    out.writeLine();
  }
  if (differences.length === 0) out.writeLine(describeSameDecisions(decisions));
  else {
    out.writeLine(policy === undefined ? ' Differences from the record:' : ` Decisions that ${policy} would have changed:`);
    for (const difference of differences) for (const line of differenceLines(difference, surface())) out.writeLine(line);
  }
  if (assumptions.length > 0) out.writeLine('\n Assumptions about what was never recorded:');
  for (const assumption of assumptions) for (const line of sentenceLines(assumption, surface(), 3)) out.writeLine(line);
}

function describeTurn(view: TurnView): string {
  const { outcome, durationMs, elapsedMs } = view;
  const totals = turnTotals(view);
  return `${outcome ?? 'not finished'} in ${formatDuration(durationMs ?? elapsedMs)}, ${pluralize(totals.attempts, 'attempt')}, ${pluralize(totals.retries, 'retry', 'retries')}`;
}

/** Calls that end with another status, or are served by another tool. */
function describeResultChanges(recorded: TurnView, view: TurnView): readonly string[] {
  const describeEnd = (call: CallView | undefined): string =>
    call === undefined
      ? 'none'
      : `${call.status.replaceAll('_', ' ')}${call.end?.partial === true ? ', partial' : ''}${describeServedBy(call)}`;
  return view.calls.flatMap((call) => {
    const before = describeEnd(recorded.calls.find(({ callId }) => callId === call.callId));
    return before === describeEnd(call) ? [] : [`${call.callId} ends differently: ${before} => ${describeEnd(call)}`];
  });
}

const describeServedBy = ({ end, toolName }: CallView): string =>
  end === undefined || end.servedBy === toolName ? '' : `, by ${end.servedBy}`;

function describeSameDecisions(decisions: number): string {
  if (decisions === 0) return ' Replayed: no decisions, as recorded.';
  return ` Replayed: ${decisions === 1 ? 'the one decision is' : `all ${decisions} decisions are`} the same as recorded.`;
}

function differenceLines(difference: ReplayDifference, surface: Surface): readonly string[] {
  const { name, was, is } = difference.kind === 'decision' ? describeDecisionDifference(difference) : describeEventDifference(difference);
  const [before, after] = [`   ${name}: ${was}`, `=> ${is}`];
  const oneLine = `${before} ${after}`;
  return (oneLine.length <= surface.width ? [oneLine] : [before, `     ${after}`]).map((line) => lineText([cell(line)], surface));
}

interface DifferenceText {
  readonly name: string;
  readonly was: string;
  readonly is: string;
}

function describeDecisionDifference({ callId, position, recorded, replayed: other }: DecisionDifference): DifferenceText {
  return { name: `${callId} ${position}`, was: describeDecision(recorded), is: describeDecision(other) };
}

function describeEventDifference({ where, recorded, replayed: other }: Exclude<ReplayDifference, DecisionDifference>): DifferenceText {
  const text = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none'));
  return { name: where, was: text(recorded), is: text(other) };
}

function describeDecision(decision: RecordedDecision | undefined): string {
  if (!decision) return 'none';
  const { action, alternative, delay_ms: delayMs, stopped_by: stoppedBy } = decision;
  const delay = delayMs === undefined ? '' : ` in ${formatDuration(delayMs)}`;
  return `${action}${alternative === undefined ? '' : ` ${alternative}`}${delay}${stoppedBy === undefined ? '' : ` (stopped by ${stoppedBy})`}`;
}
