/** The lines below a call: why it is in its state. At most one per kind, the most important first. */
import { circuitsOf, type CallView, type CircuitView, type DecisionView, type TurnView } from '@holdfast/core/turn-view';
import { text, timeOrNone } from '@holdfast/core/internal';
import { type Line, type Tone, cell, space } from '../text/cell.ts';
import { formatDuration, formatLimit } from '../text/format.ts';
import type { Glyphs } from '../text/glyphs.ts';
import { progressText, shortErrors, attemptsText } from './row.ts';

export interface ReasonOptions {
  readonly nowMs: number;
  readonly glyphs: Glyphs;
  /** The rows have no room for attempts and errors. */
  readonly narrow: boolean;
  /** For the final summary, which omits retries that succeeded. */
  readonly final: boolean;
}

const indent = 5;

export function reasonLines(call: CallView, view: TurnView, options: ReasonOptions): readonly Line[] {
  const lines: readonly (Line | undefined)[] = [
    options.narrow ? narrowText(call, options.glyphs) : undefined,
    ...decisionLines(call, options),
    defaultText(call, options.glyphs),
    circuitText(call, view, options),
    skipChain(call, options.glyphs),
    call.escalation === undefined ? undefined : [cell(`${options.glyphs.escalated} ${call.escalation}`, 'bad')],
    lateText(call, options.glyphs),
  ];
  return lines.flatMap((line) => (line === undefined ? [] : [[space(indent), ...line]]));
}

function narrowText(call: CallView, glyphs: Glyphs): Line | undefined {
  const parts = [progressText(call, glyphs), attemptsText(call, glyphs), shortErrors(call.failures, glyphs)];
  const text = parts.filter((part) => part !== '').join(` ${glyphs.dot} `);
  return text === '' ? undefined : [cell(text, call.status === 'success' ? 'dim' : 'warn')];
}

const isActive = (call: CallView): boolean => call.status === 'running' || call.status === 'backing_off' || call.status === 'queued';

/** `⇄ flight_search_backup  retry in 1.2s  why: …`, as far as it applies; one part per line on a narrow screen. */
function decisionLines(call: CallView, { nowMs, glyphs, narrow, final }: ReasonOptions): readonly Line[] {
  const alternative = call.alternatives.at(-1);
  const next = isActive(call) ? nextText(call, nowMs) : '';
  const why = mainDecision(call, final);
  const parts: readonly Line[] = [
    ...(alternative === undefined ? [] : [[cell(`${glyphs.alternative} ${alternative}`, 'accent')]]),
    ...(next === '' ? [] : [[cell(next, 'warn')]]),
    ...(why === undefined ? [] : [[cell(`why: ${retryAfterText(why)}${text(why.decision.reason)}`, 'dim')]]),
  ];
  if (narrow || parts.length === 0) return parts;
  return [parts.flatMap((part, index) => (index === 0 ? part : [space(2), ...part]))];
}

/** The server's Retry-After, if the decision follows it. */
const retryAfterText = ({ inputs, decision }: DecisionView): string => {
  const retryAfter = decision.action === 'retry' ? timeOrNone(inputs.retryAfterMs) : undefined;
  return retryAfter === undefined ? '' : `Retry-After ${formatLimit(retryAfter)}; `;
};

/** The decision to show: the one that gave up on the tool, else the latest. */
function mainDecision(call: CallView, final: boolean): DecisionView | undefined {
  const latest = call.decisions.at(-1);
  if (isActive(call)) return latest;
  const gaveUp = call.decisions.findLast(({ decision }) => decision.action !== 'retry');
  return gaveUp ?? (final && call.status === 'success' ? undefined : latest);
}

function nextText(call: CallView, nowMs: number): string {
  const open = call.segments.findLast((segment) => segment.endMs === undefined && segment.plannedEndMs !== undefined);
  if (open?.plannedEndMs === undefined) return '';
  // Fixed width, so that the text after it does not move.
  return `${open.heldMs === undefined ? '' : 'held, '}retry in ${formatDuration(open.plannedEndMs - nowMs).padStart(5)}`;
}

function defaultText(call: CallView, glyphs: Glyphs): Line | undefined {
  if (call.defaults.length === 0) return undefined;
  const named = [...new Set(call.defaults.filter((name) => name !== ''))].join(', ');
  const text = named === '' ? 'fallback value used' : `uses the default for ${named}`;
  return [cell(`${glyphs.substitute} ${text}`, 'accent')];
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
  return ` ${glyphs.dot} probe ${left > 0 ? `in ${formatLimit(left)}` : 'due'}`;
}

/** The row already shows a chain of one step. */
function skipChain(call: CallView, glyphs: Glyphs): Line | undefined {
  const chain = call.skip?.causedBy ?? [];
  return chain.length < 2 ? undefined : [cell(`because ${chain.join(` ${glyphs.arrow} `)}`, 'dim')];
}

const lateTexts: Readonly<Record<NonNullable<CallView['late']>, readonly [string, Tone]>> = {
  running: ['still running in the background', 'warn'],
  late_success: ['finished late; result not used', 'dim'],
  late_failure: ['failed late, in the background', 'dim'],
  abandoned: ['abandoned: it ignored its timeout and may still be running', 'warn'],
};

function lateText(call: CallView, glyphs: Glyphs): Line | undefined {
  if (call.late === undefined) return undefined;
  const [text, tone] = lateTexts[call.late];
  return [cell(`${glyphs.background} ${text}`, tone)];
}
