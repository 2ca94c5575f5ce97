/** The console of a command: results go to `out`, everything else to `err`. */
import { styleText } from 'node:util';
import type { Surface } from '../view/text/cell.ts';
import { type Terminal, detectTerminal } from '../view/terminal/detect.ts';
import { clean } from '../view/text/clean.ts';
import { type OutputStream, createOutputStream } from './output-stream.ts';

export type OutputMode = 'auto' | 'tty' | 'plain' | 'json';

/** What a command writes with: results to `out`, everything else to `err`. */
export interface Console {
  /** Standard output: the result of the command and nothing else. */
  readonly out: OutputStream;
  /** Standard error: progress, messages and errors. */
  readonly err: OutputStream;
  /** Width, glyphs and colour of standard output. */
  readonly surface: () => Surface;
  /** Returns what a stream can show. */
  readonly terminalOf: (stream: OutputStream) => Terminal;
  /** A message to the user, never part of the result. */
  readonly note: (text: string) => void;
  /** Writes an error to standard error. */
  readonly error: (text: string) => void;
  /** Writes a warning to standard error. */
  readonly warn: (text: string) => void;
}

const pipeWidth = 100;

export function createConsole(): Console {
  const out = createOutputStream(process.stdout);
  const err = createOutputStream(process.stderr);
  const terminalOf = (stream: OutputStream): Terminal => detectTerminal(process.env, stream, process.platform);
  const writeLabelled = (tone: 'red' | 'yellow', label: string, text: string): void => {
    const prefix = terminalOf(err).color ? styleText(tone, label, { validateStream: false }) : label;
    err.writeLine(`${prefix}${cleanLines(text)}`);
  };
  return {
    out,
    err,
    terminalOf,
    surface: () => {
      const { color, glyphs } = terminalOf(out);
      return { color, glyphs, width: out.columns() ?? pipeWidth };
    },
    note: (text) => err.writeLine(cleanLines(text)),
    error: (text) => writeLabelled('red', 'holdfast: ', text),
    warn: (text) => writeLabelled('yellow', 'holdfast: ', text),
  };
}

/** Makes text of several lines safe for a terminal. */
export const cleanLines = (text: string): string => text.split('\n').map(clean).join('\n');
