/** The final view of a turn, left in the scrollback: waterfall, results, summary sentence, numbers. */
import { finalAxis } from '../bars/axis.ts';
import { rulerLine } from '../live/frame.ts';
import { outcomeGlyph, isBeingCancelled } from '../live/header.ts';
import { chipLines, totalChips } from '../live/footer.ts';
import { layoutOf } from '../live/layout.ts';
import { reasonLines } from '../live/reasons.ts';
import { callRow } from '../live/row.ts';
import { turnTotals, type TurnView } from '@holdfast/core/turn-view';
import { type Cell, type Line, type Surface, type Tone, cell, lineText, space } from '../text/cell.ts';
import { pluralize, formatDuration, formatLimit } from '../text/format.ts';
import { type Glyphs, glyphsOf } from '../text/glyphs.ts';
import { resultsTable } from './table.ts';
import { wrapSentence } from './wrap.ts';

export function renderSummary(view: TurnView, surface: Surface): string[] {
  const glyphs = glyphsOf(surface.glyphs);
  const lines: Line[] = [
    titleLine(view, surface.width, glyphs),
    ...waterfallLines(view, surface, glyphs),
    [],
    ...resultsTable(view, surface.width, glyphs),
    ...(view.summary === '' ? [] : [[], ...wrapSentence(cell(view.summary, 'strong'), surface.width)]),
    ...view.faults.map((fault): Line => [space(1), cell(`${glyphs.escalated} ${fault}`, 'warn')]),
    [],
    ...metricLines(view, surface.width, glyphs),
  ];
  return lines.map((line) => lineText(line, surface));
}

/** The rows of a turn that has ended, below the time scale. */
export function waterfallLines(view: TurnView, surface: Surface, glyphs: Glyphs): readonly Line[] {
  const nowMs = Math.max(view.durationMs ?? 0, view.elapsedMs);
  const layout = layoutOf(surface.width, view.calls);
  const axis = finalAxis(nowMs, layout.bar);
  const interrupted = view.outcome === undefined;
  const row = { layout, axis, nowMs, timeoutMs: view.timeoutMs, glyphs, interrupted };
  const reason = { nowMs, glyphs, narrow: layout.note === 0, final: true };
  return [rulerLine(axis, layout, glyphs), ...view.calls.flatMap((call) => [callRow(call, row), ...reasonLines(call, view, reason)])];
}

const outcomes: Readonly<Record<string, readonly [string, Tone]>> = {
  success: ['success', 'good'],
  partial: ['partial', 'warn'],
  failed: ['failed', 'bad'],
  deadline: ['deadline reached', 'warn'],
  cancelled: ['cancelled', 'warn'],
};

export function titleLine(view: TurnView, width: number, glyphs: Glyphs): Line {
  const outcome = view.outcome ?? '';
  const known = Object.hasOwn(outcomes, outcome) ? outcomes[outcome] : undefined;
  const [word, tone] = known ?? (['not finished', 'warn'] as const);
  const time = `${view.outcome === undefined ? 'after' : 'in'} ${formatDuration(view.durationMs ?? view.elapsedMs)}`;
  const deadline = view.timeoutMs === undefined || width < 60 ? '' : ` of ${formatLimit(view.timeoutMs)}`;
  const glyph = view.outcome === undefined && !isBeingCancelled(view) ? cell(glyphs.mixed, 'warn') : outcomeGlyph(view, glyphs);
  const line: Cell[] = [space(1), glyph, space(1)];
  line.push(cell(view.turnId === '' ? 'turn' : `turn ${view.turnId}`, 'strong'), space(2));
  line.push(cell(word, tone), space(1), cell(time), cell(deadline, 'dim'));
  if (view.escalated) line.push(space(2), cell(`${glyphs.escalated} escalated`, 'bad'));
  return line;
}

function metricLines(view: TurnView, width: number, glyphs: Glyphs): readonly Line[] {
  const totals = turnTotals(view);
  const share = totals.retried > 0 ? `${totals.recovered} of ${pluralize(totals.retried, 'retried call')} recovered` : '';
  const second = [
    totals.attempts > 0 ? pluralize(totals.attempts, 'attempt') : '',
    totals.attemptMs > 0 ? `${formatDuration(totals.attemptMs)} in attempts` : '',
    totals.waitMs > 0 ? `${formatDuration(totals.waitMs)} waiting` : '',
    share,
    view.criticalPath.length > 1 ? `critical path: ${view.criticalPath.join(` ${glyphs.arrow} `)}` : '',
  ].filter((part) => part !== '');
  const numbers = chipLines(totalChips(view), width, glyphs);
  const times = second.map((part) => cell(part, 'dim'));
  return [...numbers, ...chipLines(times, width, glyphs)];
}
