/** Owns the picture of a what-if: per tool what was recorded and what would have been, ranges as ranges. */
import type { Compared, Range, WhatIf } from '@holdfast/what-if';
import { renderTable } from '../../terminal/table.ts';
import { wrapSentence } from '../summary/wrap.ts';
import { type Cell, cell, lineText, type Surface } from '../text/cell.ts';
import { count, duration } from '../text/format.ts';
import { fits, renderBlocks } from './figure-table.ts';

export interface WhatIfView {
  readonly policy: string;
  /** Shows it alone. */
  readonly tool?: string | undefined;
}

const titles = ['tool', 'calls', 'succeeded', 'failed', 'requests', 'mean time', 'observed'] as const;

export function renderWhatIf(answer: WhatIf, { policy, tool }: WhatIfView, surface: Surface): readonly string[] {
  const all = Object.entries(answer.tools).filter(([name]) => tool === undefined || name === tool);
  const together: readonly [string, Compared][] = tool === undefined && all.length > 1 ? [['together', answer.total]] : [];
  const sentenceLines = (sentence: string, indent = 1): readonly string[] =>
    wrapSentence(cell(sentence), surface.width, indent).map((line) => lineText(line, surface));
  return [
    ...sentenceLines(`${count(answer.turns.length, 'turn')}, as recorded, and below with ${policy}:`),
    '',
    ...toolTable([...all, ...together], surface),
    '',
    ...sentenceLines(wholeTurns(answer)),
    ...(answer.leftOut.length === 0
      ? []
      : ['', ...leftOutLines(answer).flatMap((line, index) => sentenceLines(line, index === 0 ? 1 : 3))]),
    '',
    ...sentenceLines('The truth lies within a range, both ends included. Assumed:'),
    ...answer.assumptions.flatMap((sentence) => sentenceLines(sentence, 3)),
  ];
}

/** Two rows for each tool; where there is no room for them, one below the other with both. */
function toolTable(tools: readonly (readonly [string, Compared])[], surface: Surface): readonly string[] {
  const rows = tools.flatMap(([name, compared]) => toolRows(name, compared));
  if (fits(titles, rows, surface)) return renderTable(titles, rows, surface);
  const pairs = tools.map(([name, compared]) => {
    const [before = [], after = []] = toolRows(name, compared);
    return before.map((each, index) => {
      const now = after[index]?.text ?? '';
      return index === 0 || now === '' ? each : cell(each.text === '' ? now : `${each.text} => ${now}`);
    });
  });
  return renderBlocks(titles, pairs, surface);
}

function toolRows(name: string, { calls, recorded, changed, observedShare }: Compared): readonly (readonly Cell[])[] {
  const mean = (timeMs: number): string => (calls === 0 ? '' : duration(timeMs / calls));
  const before = [recorded.succeeded, recorded.failed, recorded.requests].map((value) => cell(value, 'dim'));
  const after = [changed.succeeded, changed.failed, changed.requests].map((range) => cell(shownRange(range)));
  return [
    [cell(name, 'strong'), cell(calls), ...before, cell(mean(recorded.timeMs), 'dim'), cell('')],
    [
      cell(''),
      cell(''),
      ...after,
      cell(shownRange(changed.timeMs, mean)),
      cell(shareOf(observedShare), observedShare < 0.5 ? 'warn' : 'plain'),
    ],
  ];
}

export function shownRange({ low, high }: Range, write: (value: number) => string = String): string {
  const [from, to] = [write(low), write(high)];
  return from === to ? from : `${from}–${to}`;
}

/** 100% only when nothing at all was not observed. */
const shareOf = (share: number): string => `${share < 1 ? Math.min(99, Math.round(share * 100)) : 100}%`;

function wholeTurns({ turns, whole, duration: time }: WhatIf): string {
  const mean = (timeMs: number): string => (turns.length === 0 ? '' : duration(timeMs / turns.length));
  return `Whole turns: ${whole.recorded} of ${turns.length} succeeded, ${mean(time.recorded)} on average; it would have been ${shownRange(whole.changed)} of ${turns.length}, ${shownRange(time.changed, mean)}.`;
}

const reasons: Readonly<Record<WhatIf['leftOut'][number]['reason'], string>> = {
  lone_call: 'single calls, which have no plan',
  interrupted: 'never ended',
  unreadable: 'cannot be read',
  older_format: 'recorded by an older version',
  duplicate: 'the same turn twice',
  too_much: 'too much depends on what was not observed',
};

function leftOutLines({ leftOut }: WhatIf): readonly string[] {
  const counts = new Map<string, number>();
  for (const { reason } of leftOut) counts.set(reasons[reason], (counts.get(reasons[reason]) ?? 0) + 1);
  return [`Left out: ${count(leftOut.length, 'turn')}.`, ...[...counts].map(([reason, number]) => `${number}: ${reason}`)];
}
