/** Renders a what-if: per tool the recorded values, and below them the values under the new settings, as ranges where they are uncertain. */
import type { Compared, Range, WhatIf } from '@holdfast/what-if';
import { renderTable } from '../../terminal/table.ts';
import { sentenceLines } from '../summary/wrap.ts';
import { type Cell, cell, type Surface } from '../text/cell.ts';
import { pluralize, formatDuration } from '../text/format.ts';
import { fits, renderBlocks } from './metric-table.ts';

export interface WhatIfView {
  readonly policy: string;
  /** If given, only this tool is shown. */
  readonly tool?: string | undefined;
}

const titles = ['tool', 'calls', 'succeeded', 'failed', 'requests', 'mean time', 'observed'] as const;

export function renderWhatIf(answer: WhatIf, { policy, tool }: WhatIfView, surface: Surface): readonly string[] {
  const all = Object.entries(answer.tools).filter(([name]) => tool === undefined || name === tool);
  const total: readonly [string, Compared][] = tool === undefined && all.length > 1 ? [['total', answer.total]] : [];
  const lines = (sentence: string, indent = 1): readonly string[] => sentenceLines(sentence, surface, indent);
  return [
    ...lines(`${pluralize(answer.turns.length, 'turn')}: first row as recorded, second row with ${policy}.`),
    '',
    ...toolTable([...all, ...total], surface),
    '',
    ...lines(describeWholeTurns(answer)),
    ...(answer.leftOut.length === 0 ? [] : ['', ...leftOutLines(answer).flatMap((line, index) => lines(line, index === 0 ? 1 : 3))]),
    '',
    ...lines('A range gives lower and upper bounds, both inclusive. Assumptions:'),
    ...answer.assumptions.flatMap((sentence) => lines(sentence, 3)),
  ];
}

/** Two rows per tool; on a narrow screen a block per tool instead. */
function toolTable(tools: readonly (readonly [string, Compared])[], surface: Surface): readonly string[] {
  const rows = tools.flatMap(([name, compared]) => toolRows(name, compared));
  if (fits(titles, rows, surface)) return renderTable(titles, rows, surface);
  const merged = tools.map(([name, compared]) => {
    const [before = [], after = []] = toolRows(name, compared);
    return before.map((each, index) => {
      const now = after[index]?.text ?? '';
      return index === 0 || now === '' ? each : cell(each.text === '' ? now : `${each.text} => ${now}`);
    });
  });
  return renderBlocks(titles, merged, surface);
}

function toolRows(name: string, { calls, recorded, changed, observedShare }: Compared): readonly (readonly Cell[])[] {
  const mean = (timeMs: number): string => (calls === 0 ? '' : formatDuration(timeMs / calls));
  const before = [recorded.succeeded, recorded.failed, recorded.requests].map((value) => cell(value, 'dim'));
  const after = [changed.succeeded, changed.failed, changed.requests].map((range) => cell(formatRange(range)));
  return [
    [cell(name, 'strong'), cell(calls), ...before, cell(mean(recorded.timeMs), 'dim'), cell('')],
    [
      cell(''),
      cell(''),
      ...after,
      cell(formatRange(changed.timeMs, mean)),
      cell(formatShare(observedShare), observedShare < 0.5 ? 'warn' : 'plain'),
    ],
  ];
}

export function formatRange({ low, high }: Range, write: (value: number) => string = String): string {
  const [from, to] = [write(low), write(high)];
  return from === to ? from : `${from}–${to}`;
}

/** Rounds to 100% only if everything was observed. */
const formatShare = (share: number): string => `${share < 1 ? Math.min(99, Math.round(share * 100)) : 100}%`;

function describeWholeTurns({ turns, whole, duration: time }: WhatIf): string {
  const mean = (timeMs: number): string => (turns.length === 0 ? '' : formatDuration(timeMs / turns.length));
  return `Whole turns: ${whole.recorded} of ${turns.length} succeeded, ${mean(time.recorded)} on average. With the new settings: ${formatRange(whole.changed)} of ${turns.length}, ${formatRange(time.changed, mean)}.`;
}

const reasons: Readonly<Record<WhatIf['leftOut'][number]['reason'], string>> = {
  no_settings: 'single calls, recorded without settings by an older version',
  interrupted: 'interrupted',
  unreadable: 'unreadable',
  older_format: 'recorded by an older version',
  duplicate: 'duplicate of another turn',
  too_much: 'too much of the result is unobserved',
};

function leftOutLines({ leftOut }: WhatIf): readonly string[] {
  const counts = new Map<string, number>();
  for (const { reason } of leftOut) counts.set(reasons[reason], (counts.get(reasons[reason]) ?? 0) + 1);
  return [`Left out: ${pluralize(leftOut.length, 'turn')}.`, ...[...counts].map(([reason, number]) => `${number}: ${reason}`)];
}
