/** Why a call went the way it did: every decision with what it was made from, what was checked, and what would have changed it. */
import { statusGlyph } from '../live/row.ts';
import { failureText } from '../text/failure.ts';
import type { CallView, DecisionView, TurnView } from '@holdfast/core/turn-view';
import { records, text, time, timeOrNone, word } from '@holdfast/core/internal';
import { wrapSentence } from '../summary/wrap.ts';
import { type Cell, type Line, type Surface, cell, lineText, space } from '../text/cell.ts';
import { count, duration, formatElapsed, limit } from '../text/format.ts';
import { type Glyphs, glyphsOf } from '../text/glyphs.ts';
import { guardLines } from './guards.ts';
import { otherwise } from './otherwise.ts';

export function renderExplain(view: TurnView, callId: string, surface: Surface): string[] {
  const glyphs = glyphsOf(surface.glyphs);
  const call = view.calls.find((each) => each.callId === callId);
  const lines = call === undefined ? unknownCall(view, callId, surface.width) : explained(call, surface.width, glyphs);
  return lines.map((line) => lineText(line, surface));
}

function unknownCall(view: TurnView, callId: string, width: number): readonly Line[] {
  const known = view.calls.map((call) => call.callId).join(', ');
  return [
    [space(1), cell(`No call '${callId}' in this turn.`, 'bad')],
    ...wrapSentence(cell(known === '' ? 'The trace names no calls.' : `Its calls: ${known}`, 'dim'), width),
  ];
}

function explained(call: CallView, width: number, glyphs: Glyphs): readonly Line[] {
  const decisions = call.decisions.flatMap((decision, index) => [[], ...decisionLines(decision, index + 1, call, width, glyphs)]);
  const none: Line = [space(3), cell(nothingDecided(call), 'dim')];
  return [callTitle(call, glyphs), ...(call.decisions.length === 0 ? [[], none] : decisions), ...ending(call, width, glyphs)];
}

function callTitle(call: CallView, glyphs: Glyphs): Line {
  const tool = call.toolName === call.callId ? [] : [space(1), cell(`(${call.toolName})`, 'dim')];
  const made = [count(call.attempts, 'attempt'), count(call.decisions.length, 'decision')].join(` ${glyphs.dot} `);
  return [space(1), statusGlyph(call, glyphs), space(1), cell(call.callId, 'strong'), ...tool, space(2), cell(made, 'dim')];
}

const nothingDecided = ({ skip, status }: CallView): string =>
  skip === undefined && status !== 'not_run'
    ? 'Nothing had to be decided: no attempt failed.'
    : 'Nothing had to be decided: it was never called.';

function decisionLines(view: DecisionView, number: number, call: CallView, width: number, glyphs: Glyphs): readonly Line[] {
  const { decision, inputs } = view;
  const failure = call.failures.find(({ toolName, attempt }) => toolName === view.toolName && attempt === view.attempt);
  const what =
    inputs.failure === 'refused'
      ? `${view.toolName} was not called`
      : `attempt ${view.attempt} of ${view.toolName} ${inputs.failure === 'timeout' ? 'timed out' : 'failed'}`;
  const head: Line = [space(1), cell(`${number}`, 'dim'), space(1), cell(what, 'strong'), space(2), cell(formatElapsed(view.atMs), 'dim')];
  const error = failure === undefined || failureText(failure) === '' ? [] : wrapSentence(cell(failureText(failure), 'bad'), width, 3);
  return [
    head,
    ...error,
    ...wrapSentence(cell(inputText(view, glyphs), 'dim'), width, 3),
    ...guardLines(view, width, glyphs),
    verdict(view, glyphs),
    ...wrapSentence(cell(text(decision.reason)), width, 5),
    ...evidenceLines(view, width),
    ...otherwise(view).flatMap((sentence) => wrapSentence(cell(sentence, 'accent'), width, 5)),
  ];
}

function verdict({ decision, decidedBy }: DecisionView, glyphs: Glyphs): Line {
  const delay = decision.delayMs === undefined ? '' : ` in ${duration(decision.delayMs)}`;
  const target = decision.alternative === undefined ? '' : ` ${word(decision.alternative)}`;
  const stopped = decision.stoppedBy === undefined ? '' : `  stopped by ${word(decision.stoppedBy)}`;
  const by = decidedBy === 'handler' ? '  decided by a handler' : '';
  return [space(3), cell(`${glyphs.arrow} ${text(decision.action)}${target}${delay}`, 'strong'), cell(stopped, 'warn'), cell(by, 'accent')];
}

/** What the decision was made from, without what the checks below say anyway. */
function inputText({ inputs }: DecisionView, glyphs: Glyphs): string {
  const left = timeOrNone(inputs.turnTimeLeftMs);
  const asked = timeOrNone(inputs.retryAfterMs);
  const alternatives = records(inputs.alternatives).map(
    ({ toolName, available, circuit }) =>
      `${word(toolName)} ${available === true ? 'available' : `not available (circuit ${word(circuit)})`}`,
  );
  return [
    `${text(inputs.classification)} ${text(inputs.category)} by rule ${text(inputs.rule)}`,
    `attempt ${time(inputs.attempts)} of ${time(inputs.maxAttempts)}`,
    `circuit ${text(inputs.circuit)}`,
    `retry clock ${duration(time(inputs.retryElapsedMs))} of ${limit(time(inputs.maxTotalTimeMs))}`,
    left === undefined ? '' : `turn ${duration(left)} left`,
    asked === undefined ? '' : `asked to wait ${limit(asked)}`,
    inputs.effect === undefined ? '' : `effect ${word(inputs.effect)}`,
    inputs.ambiguous === true ? 'may have happened' : '',
    inputs.optional === true ? 'optional' : '',
    alternatives.length === 0 ? 'no alternatives' : `alternatives: ${alternatives.join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join(` ${glyphs.dot} `);
}

function evidenceLines({ inputs }: DecisionView, width: number): readonly Line[] {
  const rules = records(inputs.recoveryRules).map(
    ({ rule, effect, strategy, reason }) =>
      `policy ${word(rule)}: ${word(effect)} ${word(strategy)}${reason === undefined ? '' : `, ${word(reason)}`}`,
  );
  const known = records(inputs.evidence).map(
    ({ strategy, toolName, tried, succeeded }) =>
      `memory: ${word(strategy)}${toolName === undefined ? '' : ` ${word(toolName)}`} helped ${word(succeeded)} of ${word(tried)} times`,
  );
  return [...rules, ...known].flatMap((line) => wrapSentence(cell(line, 'dim'), width, 5));
}

function ending(call: CallView, width: number, glyphs: Glyphs): readonly Line[] {
  const line = endText(call, glyphs);
  return line.length === 0 ? [] : [[], ...line.flatMap((each) => wrapSentence(each, width))];
}

function endText({ end, skip, late, defaults, toolName, status }: CallView, glyphs: Glyphs): readonly Cell[] {
  const cells: Cell[] = [];
  if (skip !== undefined)
    cells.push(cell(`${skip.message}${skip.causedBy.length === 0 ? '' : `: ${skip.causedBy.join(` ${glyphs.arrow} `)}`}`));
  if (defaults.length > 0)
    cells.push(cell(`Defaults used for: ${defaults.map((name) => (name === '' ? 'its own output' : name)).join(', ')}`));
  if (end !== undefined && skip === undefined) {
    const by = end.servedBy === toolName ? '' : ` by ${end.servedBy}`;
    const error = end.error === '' ? '' : `: ${end.error}`;
    const answer = `Answered with ${end.status}${by} after ${duration(end.executionMs)}`;
    const told = status === 'not_run' ? 'Not run' : status === 'cancelled' ? `Cancelled after ${duration(end.executionMs)}` : answer;
    cells.push(cell(`${told}${error}`));
  }
  if (late !== undefined) cells.push(cell(`Its work outlived the answer (${late.replaceAll('_', ' ')}).`, 'warn'));
  return cells;
}
