/** The lines below a call: why it goes the way it goes. At most one per kind, most telling first. */
import { circuitsOf, type CallView, type CircuitView, type DecisionView, type TurnView } from '@holdfast/core/turn-view';
import { text, timeOrNone } from '@holdfast/core/internal';
import { type Line, type Tone, cell, space } from '../text/cell.ts';
import { duration, limit } from '../text/format.ts';
import type { Glyphs } from '../text/glyphs.ts';
import { progressText, shortErrors, tries } from './row.ts';

export interface ReasonOptions {
  readonly nowMs: number;
  readonly glyphs: Glyphs;
  /** The rows have no columns for attempts and errors. */
  readonly narrow: boolean;
  /** The last picture: a retry that worked needs no words any more. */
  readonly final: boolean;
}

const indent = 5;

export function reasonLines(call: CallView, view: TurnView, options: ReasonOptions): readonly Line[] {
  const lines: readonly (Line | undefined)[] = [
    options.narrow ? attemptsText(call, options.glyphs) : undefined,
    ...decisionLines(call, options),
    standInText(call, options.glyphs),
    circuitText(call, view, options),
    skipChain(call, options.glyphs),
    call.escalation === undefined ? undefined : [cell(`${options.glyphs.escalated} ${call.escalation}`, 'bad')],
    lateText(call, options.glyphs),
  ];
  return lines.flatMap((line) => (line === undefined ? [] : [[space(indent), ...line]]));
}

function attemptsText(call: CallView, glyphs: Glyphs): Line | undefined {
  const parts = [progressText(call, glyphs), tries(call, glyphs), shortErrors(call.failures, glyphs)];
  const text = parts.filter((part) => part !== '').join(` ${glyphs.dot} `);
  return text === '' ? undefined : [cell(text, call.status === 'success' ? 'dim' : 'warn')];
}

const isGoing = (call: CallView): boolean => call.status === 'running' || call.status === 'backing_off' || call.status === 'queued';

/** `⇄ flight_search_backup  again in 1.2s  why: …`, as far as it applies; below each other where there is little room. */
function decisionLines(call: CallView, { nowMs, glyphs, narrow, final }: ReasonOptions): readonly Line[] {
  const alternative = call.alternatives.at(-1);
  const next = isGoing(call) ? nextText(call, nowMs) : '';
  const why = whyOf(call, final);
  const parts: readonly Line[] = [
    ...(alternative === undefined ? [] : [[cell(`${glyphs.alternative} ${alternative}`, 'accent')]]),
    ...(next === '' ? [] : [[cell(next, 'warn')]]),
    ...(why === undefined ? [] : [[cell(`why: ${askedFor(why)}${text(why.decision.reason)}`, 'dim')]]),
  ];
  if (narrow || parts.length === 0) return parts;
  return [parts.flatMap((part, index) => (index === 0 ? part : [space(2), ...part]))];
}

/** Worth saying only of a wait that is kept. */
const askedFor = ({ inputs, decision }: DecisionView): string => {
  const asked = decision.action === 'retry' ? timeOrNone(inputs.retryAfterMs) : undefined;
  return asked === undefined ? '' : `asked to wait ${limit(asked)}; `;
};

/** The decision worth a line: the one that led away from the tool, else the latest. */
function whyOf(call: CallView, final: boolean): DecisionView | undefined {
  const latest = call.decisions.at(-1);
  if (isGoing(call)) return latest;
  const away = call.decisions.findLast(({ decision }) => decision.action !== 'retry');
  return away ?? (final && call.status === 'success' ? undefined : latest);
}

function nextText(call: CallView, nowMs: number): string {
  const open = call.segments.findLast((segment) => segment.endMs === undefined && segment.plannedEndMs !== undefined);
  if (open?.plannedEndMs === undefined) return '';
  // The width stays while the number shrinks, so nothing behind it moves.
  return `again in ${duration(open.plannedEndMs - nowMs).padStart(5)}`;
}

function standInText(call: CallView, glyphs: Glyphs): Line | undefined {
  if (call.defaults.length === 0) return undefined;
  const named = [...new Set(call.defaults.filter((name) => name !== ''))].join(', ');
  const text = named === '' ? 'answered with its fallback value' : `uses the default for ${named}`;
  return [cell(`${glyphs.standIn} ${text}`, 'accent')];
}

function circuitText(call: CallView, view: TurnView, { nowMs, glyphs, final }: ReasonOptions): Line | undefined {
  const tools = new Set([call.toolName, call.currentTool, ...call.failures.map(({ toolName }) => toolName)]);
  const circuit = circuitsOf(view).find(({ toolName, state }) => tools.has(toolName) && state !== 'closed');
  if (circuit === undefined || call.status === 'waiting' || call.status === 'skipped' || call.status === 'not_run') return undefined;
  const opened = circuit.opened > 0 ? 'opened' : circuit.state === 'open' ? 'is open' : 'is half open';
  const probe = final ? '' : probeText(circuit, nowMs, glyphs);
  return [cell(`${glyphs.circuit} circuit ${opened} for ${circuit.toolName}`, 'bad'), cell(probe, 'dim')];
}

function probeText(circuit: CircuitView, nowMs: number, glyphs: Glyphs): string {
  if (circuit.state === 'half_open') return ` ${glyphs.dot} probing`;
  if (circuit.openForMs === undefined) return '';
  const left = circuit.sinceMs + circuit.openForMs - nowMs;
  return ` ${glyphs.dot} probe ${left > 0 ? `in ${limit(left)}` : 'due'}`;
}

/** Only a chain longer than one step says more than the row does. */
function skipChain(call: CallView, glyphs: Glyphs): Line | undefined {
  const chain = call.skip?.causedBy ?? [];
  return chain.length < 2 ? undefined : [cell(`because ${chain.join(` ${glyphs.arrow} `)}`, 'dim')];
}

const lateTexts: Readonly<Record<NonNullable<CallView['late']>, readonly [string, Tone]>> = {
  running: ['still running in the background', 'warn'],
  late_success: ['finished later; the late result was not used', 'dim'],
  late_failure: ['failed later, in the background', 'dim'],
  abandoned: ['given up: it ignored its time limit and may still run', 'warn'],
};

function lateText(call: CallView, glyphs: Glyphs): Line | undefined {
  if (call.late === undefined) return undefined;
  const [text, tone] = lateTexts[call.late];
  return [cell(`${glyphs.behind} ${text}`, tone)];
}
