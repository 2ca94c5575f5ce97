/**
 * Owns writing to standard output and standard error.
 *
 * Invariants
 * 1. A reader that went away (`| head`) ends nothing: what is written afterwards is dropped.
 * 2. The real `write` is kept, so that `stray-output.ts` may put itself in front of it.
 */
import { columnsOf } from './columns.ts';

/** A stream that a command writes to. When its reader goes away, what is written afterwards is dropped. */
export interface Outlet {
  /** Writes a text as it is. */
  readonly write: (text: string) => void;
  /** Writes a text and a line break. */
  readonly line: (text?: string) => void;
  /** The stream is a terminal. */
  readonly isTTY: boolean;
  /** Returns the width of the terminal, otherwise the variable `COLUMNS`; `undefined` if neither is known. */
  readonly columns: () => number | undefined;
  /** Returns the height of the terminal; `undefined` if the stream is none. */
  readonly rows: () => number | undefined;
  /** Nobody reads any more. */
  readonly isBroken: () => boolean;
  /** Resolves when what was written has left the process. */
  readonly flushed: () => Promise<void>;
  /** Calls the listener when the size of the terminal changes. Returns the function that removes the listener. */
  readonly onResize: (listener: () => void) => () => void;
}

export function createOutlet(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv = process.env): Outlet {
  const realWrite = stream.write.bind(stream) as (text: string, done?: () => void) => boolean;
  let broken = false;
  stream.on('error', () => {
    broken = true;
  });
  const write = (text: string): void => {
    if (!broken) realWrite(text);
  };
  return {
    write,
    line: (text = '') => write(`${text}\n`),
    isTTY: stream.isTTY === true,
    columns: () => columnsOf(stream.columns, environment['COLUMNS']),
    rows: () => stream.rows,
    isBroken: () => broken,
    flushed: () => new Promise((resolve) => (broken ? resolve() : realWrite('', () => resolve()))),
    onResize: (listener) => {
      stream.on('resize', listener);
      return () => void stream.off('resize', listener);
    },
  };
}
