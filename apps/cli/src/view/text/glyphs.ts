/** The glyphs of the terminal view, in Unicode and in ASCII. */
import type { GlyphSet } from './cell.ts';

export interface Glyphs {
  readonly done: string;
  readonly failed: string;
  readonly skipped: string;
  readonly waiting: string;
  readonly running: string;
  readonly backingOff: string;
  readonly mixed: string;
  readonly alternative: string;
  readonly substitute: string;
  readonly circuit: string;
  readonly escalated: string;
  readonly background: string;
  readonly arrow: string;
  readonly dot: string;
  readonly times: string;
  readonly dash: string;
  readonly ellipsis: string;
  /** Waterfall and deadline bars. */
  readonly work: string;
  readonly head: string;
  readonly halfHead: string;
  readonly broken: string;
  readonly backoff: string;
  readonly queue: string;
  readonly late: string;
  readonly unused: string;
  readonly deadline: string;
  readonly passed: string;
  readonly stopped: string;
}

const unicode: Glyphs = {
  done: '✔',
  failed: '✘',
  skipped: '⊘',
  waiting: '◌',
  running: '▸',
  backingOff: '↻',
  mixed: '◐',
  alternative: '⇄',
  substitute: '≈',
  circuit: '⊗',
  escalated: '!',
  background: '⋯',
  arrow: '→',
  dot: '·',
  times: '×',
  dash: '–',
  ellipsis: '…',
  work: '━',
  head: '━',
  halfHead: '╸',
  broken: '×',
  backoff: '┄',
  queue: '·',
  late: '·',
  unused: '─',
  deadline: '┊',
  passed: '✔',
  stopped: '✘',
};

const ascii: Glyphs = {
  done: '+',
  failed: 'x',
  skipped: '-',
  waiting: '.',
  running: '>',
  backingOff: '~',
  mixed: '*',
  alternative: '=>',
  substitute: ':=',
  circuit: '#',
  escalated: '!',
  background: '..',
  arrow: '->',
  dot: '-',
  times: 'x',
  dash: '-',
  ellipsis: '..',
  work: '=',
  head: '>',
  halfHead: '>',
  broken: 'x',
  backoff: '-',
  queue: '.',
  late: '.',
  unused: '-',
  deadline: '|',
  passed: 'ok',
  stopped: 'NO',
};

export const glyphsOf = (set: GlyphSet): Glyphs => (set === 'ascii' ? ascii : unicode);
