/** Owns what a command writes with: results to `out`, everything else to `err`, and how each may look. */
import { styleText } from 'node:util';
import { type Surface, type Terminal, clean, detectTerminal } from '../view/index.ts';
import { type Outlet, createOutlet } from './outlet.ts';

export type OutputMode = 'auto' | 'tty' | 'plain' | 'json';

/** What a command writes with: results to `out`, everything else to `err`. */
export interface Console {
  /** Standard output: the result of the command and nothing else. */
  readonly out: Outlet;
  /** Standard error: progress, remarks and errors. */
  readonly err: Outlet;
  /** How text on standard output may look. */
  readonly surface: () => Surface;
  /** Returns what a stream can show. */
  readonly terminalOf: (outlet: Outlet) => Terminal;
  /** A remark to the user, never part of the result. */
  readonly note: (text: string) => void;
  /** Writes an error to standard error. */
  readonly failure: (text: string) => void;
  /** Writes a warning to standard error. */
  readonly warning: (text: string) => void;
}

const widthOfPipes = 100;

export function createConsole(): Console {
  const out = createOutlet(process.stdout);
  const err = createOutlet(process.stderr);
  const terminalOf = (outlet: Outlet): Terminal => detectTerminal(process.env, outlet, process.platform);
  const labelled = (tone: 'red' | 'yellow', label: string, text: string): void => {
    const painted = terminalOf(err).color ? styleText(tone, label, { validateStream: false }) : label;
    err.line(`${painted}${cleanLines(text)}`);
  };
  return {
    out,
    err,
    terminalOf,
    surface: () => {
      const { color, glyphs } = terminalOf(out);
      return { color, glyphs, width: out.columns() ?? widthOfPipes };
    },
    note: (text) => err.line(cleanLines(text)),
    failure: (text) => labelled('red', 'holdfast: ', text),
    warning: (text) => labelled('yellow', 'holdfast: ', text),
  };
}

/** Makes a string of several lines safe for a terminal. */
export const cleanLines = (text: string): string => text.split('\n').map(clean).join('\n');
