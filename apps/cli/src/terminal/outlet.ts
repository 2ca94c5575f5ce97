/**
 * Owns writing to standard output and standard error.
 *
 * Invariants
 * 1. A reader that went away (`| head`) ends nothing: what is written afterwards is dropped.
 * 2. The real `write` is kept, so that `stray-output.ts` may put itself in front of it.
 */
import { columnsOf } from './columns.ts';

export interface Outlet {
  readonly write: (text: string) => void;
  readonly line: (text?: string) => void;
  readonly isTTY: boolean;
  readonly columns: () => number | undefined;
  readonly rows: () => number | undefined;
  /** Nobody reads any more. */
  readonly isBroken: () => boolean;
  /** Resolves when what was written has left the process. */
  readonly flushed: () => Promise<void>;
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
