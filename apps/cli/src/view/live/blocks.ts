/** Chooses what fits on the screen. Rows keep their order; reason lines are dropped before rows, and finished calls before running ones. */
import type { CallView } from '@holdfast/core/turn-view';
import { type Line, cell, space } from '../text/cell.ts';
import type { Glyphs } from '../text/glyphs.ts';

/** The row of a call and the lines below it. */
export interface Block {
  readonly call: CallView;
  /** Rendered only if shown, since a turn can have far more calls than the screen has rows. */
  readonly row: () => Line;
  readonly reasons: () => readonly Line[];
}

export function fitBlocks(blocks: readonly Block[], height: number, glyphs: Glyphs): readonly Line[] {
  if (height <= 0) return [];
  if (blocks.length > height) return collapseRows(blocks, height, glyphs);
  let left = height - blocks.length;
  const shown = new Map<Block, readonly Line[]>();
  for (const block of byPriority(blocks)) {
    const reasons = left > 0 ? block.reasons().slice(0, left) : [];
    shown.set(block, reasons);
    left -= reasons.length;
  }
  return blocks.flatMap((block) => [block.row(), ...(shown.get(block) ?? [])]);
}

function collapseRows(blocks: readonly Block[], height: number, glyphs: Glyphs): readonly Line[] {
  const visible = new Set(byPriority(blocks).slice(0, height - 1));
  const hidden = blocks.filter((block) => !visible.has(block));
  const summary = hiddenText(hidden.map(({ call }) => call));
  const more = [space(1), cell(glyphs.ellipsis, 'dim'), space(1), cell(`${hidden.length} more: ${summary}`, 'dim')];
  return [...blocks.filter((block) => visible.has(block)).map(({ row }) => row()), more];
}

const priorities: Readonly<Record<CallView['status'], number>> = {
  running: 0,
  backing_off: 0,
  queued: 1,
  error: 2,
  timeout: 2,
  cancelled: 2,
  interrupted: 2,
  waiting: 3,
  skipped: 4,
  not_run: 4,
  success: 5,
};

const byPriority = (blocks: readonly Block[]): readonly Block[] =>
  blocks.toSorted((one, other) => priorities[one.call.status] - priorities[other.call.status]);

function hiddenText(calls: readonly CallView[]): string {
  const groups: readonly (readonly [string, readonly CallView['status'][]])[] = [
    ['running', ['running', 'backing_off', 'queued']],
    ['failed', ['error', 'timeout']],
    ['waiting', ['waiting']],
    ['skipped', ['skipped']],
    ['cancelled', ['cancelled']],
    ['interrupted', ['interrupted']],
    ['not run', ['not_run']],
    ['ok', ['success']],
  ];
  return groups
    .map(([word, statuses]) => [word, calls.filter(({ status }) => statuses.includes(status)).length] as const)
    .filter(([, number]) => number > 0)
    .map(([word, number]) => `${number} ${word}`)
    .join(', ');
}
