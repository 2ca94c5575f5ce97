/**
 * Writes to standard output and standard error.
 *
 * Invariants
 * 1. A closed pipe (`| head`) does not end the program: later output is dropped.
 * 2. It uses the original `write`, even while `stray-output.ts` redirects the stream.
 */

/** A stream that a command writes to. When its reader closes the pipe, later output is dropped. */
export interface OutputStream {
  /** Writes the text as it is. */
  readonly write: (text: string) => void;
  /** Writes the text and a line break. */
  readonly writeLine: (text?: string) => void;
  /** The stream is a terminal. */
  readonly isTTY: boolean;
  /** Returns the width of the terminal, otherwise the variable `COLUMNS`; `undefined` if neither is known. */
  readonly columns: () => number | undefined;
  /** Returns the height of the terminal; `undefined` if the stream is none. */
  readonly rows: () => number | undefined;
  /** The reader has closed the pipe. */
  readonly isBroken: () => boolean;
  /** Resolves when all output has left the process. */
  readonly flush: () => Promise<void>;
  /** Calls the listener when the terminal is resized. Returns the function that removes the listener. */
  readonly onResize: (listener: () => void) => () => void;
}

export function createOutputStream(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv = process.env): OutputStream {
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
    writeLine: (text = '') => write(`${text}\n`),
    isTTY: stream.isTTY === true,
    columns: () => columnsOf(stream.columns, environment['COLUMNS']),
    rows: () => stream.rows,
    isBroken: () => broken,
    flush: () => new Promise((resolve) => (broken ? resolve() : realWrite('', () => resolve()))),
    onResize: (listener) => {
      stream.on('resize', listener);
      return () => void stream.off('resize', listener);
    },
  };
}

/** The width of a line: the terminal's width, else `COLUMNS`. */
function columnsOf(terminal: number | undefined, variable: string | undefined): number | undefined {
  if (terminal !== undefined && terminal > 0) return terminal;
  const columns = Number(variable);
  return Number.isSafeInteger(columns) && columns > 0 ? columns : undefined;
}
