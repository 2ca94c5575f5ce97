/** The columns of a frame and their widths. Does not depend on the time, so columns do not move. */
import type { CallView } from '@holdfast/core/turn-view';
import { cell, widthOf } from '../text/cell.ts';

export interface Layout {
  readonly name: number;
  /** 0 if there is no room for a waterfall. */
  readonly bar: number;
  readonly attempts: number;
  readonly time: number;
  readonly note: number;
}

/** Margin, status glyph and a space come before the name. */
export const rowStart = 3;
const gap = 2;

export function layoutOf(width: number, calls: readonly CallView[]): Layout {
  const longest = Math.max(4, ...calls.map((call) => widthOf([cell(call.callId)])));
  if (width < 24) return { name: Math.max(1, width - rowStart), bar: 0, attempts: 0, time: 0, note: 0 };
  if (width < 40) return { name: Math.max(1, width - rowStart - 2 - 7), bar: 0, attempts: 0, time: 7, note: 0 };
  if (width < 64) {
    const name = Math.min(longest, Math.floor(width * 0.4));
    return { name, bar: width - rowStart - name - 1 - 1 - 7, attempts: 0, time: 7, note: 0 };
  }
  const name = Math.min(longest, Math.floor(width * 0.28));
  const attempts = 5;
  const time = 7;
  const note = width < 110 ? 14 : 24;
  return { name, bar: width - rowStart - name - gap - gap - attempts - 1 - time - gap - note, attempts, time, note };
}
