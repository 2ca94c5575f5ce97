/** Owns batching lines: those of one turn of the event loop are written together. */

export interface LineBatch {
  readonly add: (line: string) => void;
  /** Writes all waiting lines now. */
  readonly flush: () => void;
}

/** Errors of `write` are ignored: a log that cannot be written must not affect calls. */
export function lineBatch(write: (text: string) => void): LineBatch {
  let waiting: string[] = [];
  const flush = (): void => {
    if (waiting.length === 0) return;
    const text = `${waiting.join('\n')}\n`;
    waiting = [];
    try {
      write(text);
    } catch {
      // The log is the only place to report it.
    }
  };
  return {
    add: (line) => {
      if (waiting.push(line) === 1) setImmediate(flush);
    },
    flush,
  };
}

/** While more than this is buffered for a slow reader, lines are dropped and counted. */
const maxBufferedBytes = 4 * 1_024 * 1_024;

/** Writes to standard error with a bounded buffer, because it may not be read. */
export function standardErrorLines(stream: NodeJS.WriteStream = process.stderr): (text: string) => void {
  let left = 0;
  return (text) => {
    if (stream.writableLength > maxBufferedBytes) {
      left += text.split('\n').length - 1;
      return;
    }
    const note = left === 0 ? '' : `${JSON.stringify({ time: new Date().toISOString(), level: 'warn', event: 'log', left_out: left })}\n`;
    left = 0;
    stream.write(`${note}${text}`);
  };
}
