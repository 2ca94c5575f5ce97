/** Renders why a call ended as it did: each decision with its inputs, its checks, and what would have changed it. */
import { statusGlyph } from '../live/row.ts';
import { failureText } from '../text/failure.ts';
import type { CallView, DecisionView, TurnView } from '@holdfast/core/turn-view';
import { records, text, time, timeOrNone, word } from '@holdfast/core/internal';
import { wrapSentence } from '../summary/wrap.ts';
import { type Cell, type Line, type Surface, cell, lineText, space } from '../text/cell.ts';
import { pluralize, formatDuration, formatElapsed, formatLimit } from '../text/format.ts';
import { type Glyphs, glyphsOf } from '../text/glyphs.ts';
import { guardLines } from './guards.ts';
import { describeCounterfactuals } from './counterfactuals.ts';

export function renderExplain(view: TurnView, callId: string, surface: Surface): string[] {
  const glyphs = glyphsOf(surface.glyphs);
  const call = view.calls.find((each) => each.callId === callId);
  const lines = call === undefined ? unknownCallLines(view, callId, surface.width) : callLines(call, surface.width, glyphs);
  return lines.map((line) => lineText(line, surface));
}

function unknownCallLines(view: TurnView, callId: string, width: number): readonly Line[] {
  const known = view.calls.map((call) => call.callId).join(', ');
  return [
    [space(1), cell(`No call '${callId}' in this turn.`, 'bad')],
    ...wrapSentence(cell(known === '' ? 'The trace names no calls.' : `Calls in this turn: ${known}`, 'dim'), width),
  ];
}

function callLines(call: CallView, width: number, glyphs: Glyphs): readonly Line[] {
  const decisions = call.decisions.flatMap((decision, index) => [[], ...decisionLines(decision, index + 1, call, width, glyphs)]);
  const none: Line = [space(3), cell(noDecisionsText(call), 'dim')];
  return [callTitle(call, glyphs), ...(call.decisions.length === 0 ? [[], none] : decisions), ...endLines(call, width, glyphs)];
}

function callTitle(call: CallView, glyphs: Glyphs): Line {
  const tool = call.toolName === call.callId ? [] : [space(1), cell(`(${call.toolName})`, 'dim')];
  const totals = [pluralize(call.attempts, 'attempt'), pluralize(call.decisions.length, 'decision')].join(` ${glyphs.dot} `);
  return [space(1), statusGlyph(call, glyphs), space(1), cell(call.callId, 'strong'), ...tool, space(2), cell(totals, 'dim')];
}

const noDecisionsText = ({ skip, status }: CallView): string =>
  skip === undefined && status !== 'not_run' ? 'No decisions: no attempt failed.' : 'No decisions: the tool was never called.';

function decisionLines(view: DecisionView, number: number, call: CallView, width: number, glyphs: Glyphs): readonly Line[] {
  const { decision, inputs } = view;
  const failure = call.failures.find(({ toolName, attempt }) => toolName === view.toolName && attempt === view.attempt);
  const title =
    inputs.failure === 'refused'
      ? `${view.toolName} was not called`
      : `attempt ${view.attempt} of ${view.toolName} ${inputs.failure === 'timeout' ? 'timed out' : 'failed'}`;
  const head: Line = [space(1), cell(`${number}`, 'dim'), space(1), cell(title, 'strong'), space(2), cell(formatElapsed(view.atMs), 'dim')];
  const error = failure === undefined || failureText(failure) === '' ? [] : wrapSentence(cell(failureText(failure), 'bad'), width, 3);
  return [
    head,
    ...error,
    ...wrapSentence(cell(inputText(view, glyphs), 'dim'), width, 3),
    ...guardLines(view, width, glyphs),
    decisionLine(view, glyphs),
    ...wrapSentence(cell(text(decision.reason)), width, 5),
    ...evidenceLines(view, width),
    ...describeCounterfactuals(view).flatMap((sentence) => wrapSentence(cell(sentence, 'accent'), width, 5)),
  ];
}

function decisionLine({ decision, decidedBy }: DecisionView, glyphs: Glyphs): Line {
  const delay = decision.delayMs === undefined ? '' : ` in ${formatDuration(decision.delayMs)}`;
  const target = decision.alternative === undefined ? '' : ` ${word(decision.alternative)}`;
  const stopped = decision.stoppedBy === undefined ? '' : `  stopped by ${word(decision.stoppedBy)}`;
  const by = decidedBy === 'handler' ? '  decided by a custom handler' : '';
  return [space(3), cell(`${glyphs.arrow} ${text(decision.action)}${target}${delay}`, 'strong'), cell(stopped, 'warn'), cell(by, 'accent')];
}

/** The inputs of the decision that the checks below do not show. */
function inputText({ inputs }: DecisionView, glyphs: Glyphs): string {
  const left = timeOrNone(inputs.turnTimeLeftMs);
  const retryAfter = timeOrNone(inputs.retryAfterMs);
  const held = timeOrNone(inputs.heldMs);
  const alternatives = records(inputs.alternatives).map(
    ({ toolName, available, circuit }) =>
      `${word(toolName)} ${available === true ? 'available' : `not available (circuit ${word(circuit)})`}`,
  );
  return [
    `${text(inputs.classification)} ${text(inputs.category)} by rule ${text(inputs.rule)}`,
    `attempt ${time(inputs.attempts)} of ${time(inputs.maxAttempts)}`,
    `circuit ${text(inputs.circuit)}${held === undefined ? '' : `, held for ${formatLimit(held)}`}`,
    `retry time ${formatDuration(time(inputs.retryElapsedMs))} of ${formatLimit(time(inputs.maxTotalTimeMs))}`,
    left === undefined ? '' : `turn ${formatDuration(left)} left`,
    retryAfter === undefined ? '' : `Retry-After ${formatLimit(retryAfter)}`,
    effectText(inputs),
    inputs.ambiguous === true ? 'side effect may have happened' : '',
    inputs.unknownFailures === undefined ? '' : `unknown failure ${time(inputs.unknownFailures)}`,
    inputs.optional === true ? 'optional' : '',
    alternatives.length === 0 ? 'no alternatives' : `alternatives: ${alternatives.join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join(` ${glyphs.dot} `);
}

function effectText({ effect, assumedEffect }: DecisionView['inputs']): string {
  if (effect !== undefined) return `effect ${word(effect)}`;
  return assumedEffect === undefined ? '' : `effect not declared, counts as ${word(assumedEffect)}`;
}

function evidenceLines({ inputs }: DecisionView, width: number): readonly Line[] {
  const rules = records(inputs.recoveryRules).map(
    ({ rule, effect, strategy, reason }) =>
      `recovery rule ${word(rule)}: ${word(effect)} ${word(strategy)}${reason === undefined ? '' : `, ${word(reason)}`}`,
  );
  const evidence = records(inputs.evidence).map(
    ({ strategy, toolName, tried, succeeded }) =>
      `memory: ${word(strategy)}${toolName === undefined ? '' : ` ${word(toolName)}`} succeeded ${word(succeeded)} of ${word(tried)} times`,
  );
  return [...rules, ...evidence].flatMap((line) => wrapSentence(cell(line, 'dim'), width, 5));
}

function endLines(call: CallView, width: number, glyphs: Glyphs): readonly Line[] {
  const line = endText(call, glyphs);
  return line.length === 0 ? [] : [[], ...line.flatMap((each) => wrapSentence(each, width))];
}

function endText({ end, skip, late, defaults, toolName, status }: CallView, glyphs: Glyphs): readonly Cell[] {
  const cells: Cell[] = [];
  if (skip !== undefined)
    cells.push(cell(`${skip.message}${skip.causedBy.length === 0 ? '' : `: ${skip.causedBy.join(` ${glyphs.arrow} `)}`}`));
  if (defaults.length > 0)
    cells.push(cell(`Defaults used for: ${defaults.map((name) => (name === '' ? 'the call itself' : name)).join(', ')}`));
  if (end !== undefined && skip === undefined) {
    const by = end.servedBy === toolName ? '' : ` by ${end.servedBy}`;
    const error = end.error === '' ? '' : `: ${end.error}`;
    const answer = `Result: ${end.status}${by} after ${formatDuration(end.executionMs)}`;
    const text = status === 'not_run' ? 'Not run' : status === 'cancelled' ? `Cancelled after ${formatDuration(end.executionMs)}` : answer;
    cells.push(cell(`${text}${error}`));
  }
  if (late !== undefined) cells.push(cell(`The tool kept running after the result (${late.replaceAll('_', ' ')}).`, 'warn'));
  return cells;
}
