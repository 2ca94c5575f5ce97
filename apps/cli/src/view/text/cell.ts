/**
 * Everything on the screen goes through here: a line is a list of cells, a cell is sanitized text with a tone, and `lineText`
 * fits the line to the width and colours it. So no line is too wide, and no control character of a tool gets through.
 */
import { styleText } from 'node:util';
import measuredWidth from 'string-width';
import { clean } from './clean.ts';

/** Printable ASCII, and the lines and dots that the view draws. */
const narrow = /^[ -~·×…\u2500-\u257F]*$/u;

/** The width in columns. Fast for the common case of one column per character, since a frame measures thousands of strings. */
const stringWidth = (text: string): number => (narrow.test(text) ? text.length : measuredWidth(text));

export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'bad' | 'warn' | 'active' | 'accent';

export interface Cell {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Cell[];

/** Characters that may be written: all of Unicode, or ASCII for a terminal that is not UTF-8. */
export type GlyphSet = 'unicode' | 'ascii';

/** The screen that lines are rendered for. */
export interface Surface {
  /** In columns. */
  readonly width: number;
  /** Characters that may be written. */
  readonly glyphs: GlyphSet;
  /** Colors may be used. */
  readonly color: boolean;
}

type Format = Parameters<typeof styleText>[0];

const formats: Readonly<Record<Exclude<Tone, 'plain'>, Format>> = {
  strong: 'bold',
  dim: 'dim',
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  active: 'cyan',
  accent: 'magenta',
};

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The tone of a success rate, 0 to 1. */
export const successTone = (share: number): Tone => (share >= 0.95 ? 'good' : share >= 0.5 ? 'warn' : 'bad');

export const cell = (value: unknown, tone: Tone = 'plain'): Cell => ({ text: clean(value), tone });

export const space = (columns: number): Cell => ({ text: ' '.repeat(Math.max(0, Math.floor(columns))), tone: 'plain' });

export const widthOf = (line: Line): number => line.reduce((sum, { text }) => sum + stringWidth(text), 0);

/** Truncates a cell to a width, with an ellipsis. */
function truncateCell(whole: Cell, columns: number, ellipsis = '…'): Cell {
  if (stringWidth(whole.text) <= columns) return whole;
  const mark = stringWidth(ellipsis) < columns ? ellipsis : '';
  const room = Math.max(0, columns - stringWidth(mark));
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(whole.text)) {
    const next = stringWidth(segment);
    if (used + next > room) break;
    kept += segment;
    used += next;
  }
  return { text: kept.trimEnd() + mark, tone: whole.tone };
}

/** A cell of exactly this width: truncated, or padded on the right. */
export function column(whole: Cell, columns: number, ellipsis?: string): Line {
  const short = truncateCell(whole, columns, ellipsis);
  return [short, space(columns - stringWidth(short.text))];
}

/** Like `column`, but aligned right. */
export function columnRight(whole: Cell, columns: number): Line {
  const short = truncateCell(whole, columns, '');
  return [space(columns - stringWidth(short.text)), short];
}

/** Fits a line to its surface and colours it. Trims trailing spaces. */
export function lineText(line: Line, surface: Surface): string {
  const drawable = surface.glyphs === 'ascii' ? line.map(toAscii) : line;
  const fitted = trimLine(fitLine(trimLine(drawable), surface.width, surface.glyphs === 'ascii' ? '..' : '…'));
  return fitted.map((each) => paintCell(each, surface.color)).join('');
}

function fitLine(line: Line, columns: number, ellipsis: string): Line {
  if (widthOf(line) <= columns && stringWidth(joinCells(line)) <= columns) return line;
  const kept: Cell[] = [];
  let room = columns;
  for (const each of line) {
    const width = stringWidth(each.text);
    if (width > room) {
      kept.push(truncateCell(each, room, ellipsis));
      break;
    }
    kept.push(each);
    room -= width;
  }
  // Characters of adjacent cells can combine into a wider one. Then drop the tones to keep the width.
  return stringWidth(joinCells(kept)) <= columns ? kept : [truncateCell({ text: joinCells(kept), tone: 'plain' }, columns, ellipsis)];
}

const joinCells = (line: Line): string => line.map(({ text }) => text).join('');

function trimLine(line: Line): Line {
  const kept = [...line];
  for (let last = kept.pop(); last !== undefined; last = kept.pop()) {
    const text = last.text.trimEnd();
    if (text !== '') return [...kept, { text, tone: last.tone }];
  }
  return [];
}

const paintCell = ({ text, tone }: Cell, color: boolean): string =>
  color && tone !== 'plain' && text.trim() !== '' ? styleText(formats[tone], text, { validateStream: false }) : text;

const lookAlikes: Readonly<Record<string, string>> = {
  '…': '.',
  '–': '-',
  '—': '-',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '·': '-',
  '×': 'x',
};

/** Terminals without UTF-8 show several wrong characters for each non-ASCII one. */
function toAscii({ text, tone }: Cell): Cell {
  if (/^[ -~]*$/u.test(text)) return { text, tone };
  const replaced = Array.from(graphemes.segment(text), ({ segment }) =>
    /^[ -~]$/u.test(segment) ? segment : (lookAlikes[segment] ?? '?'.repeat(stringWidth(segment))),
  );
  return { text: replaced.join(''), tone };
}
