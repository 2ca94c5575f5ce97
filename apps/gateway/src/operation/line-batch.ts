/** Owns writing lines together: those of one turn of the event loop are one write. */

export interface LineBatch {
  readonly add: (line: string) => void;
  /** Writes what is waiting, at once. */
  readonly flush: () => void;
}

/** What `write` throws is swallowed: a log that cannot be written stops nothing. */
export function lineBatch(write: (text: string) => void): LineBatch {
  let waiting: string[] = [];
  const flush = (): void => {
    if (waiting.length === 0) return;
    const text = `${waiting.join('\n')}\n`;
    waiting = [];
    try {
      write(text);
    } catch {
      // There is nobody left to tell.
    }
  };
  return {
    add: (line) => {
      if (waiting.push(line) === 1) setImmediate(flush);
    },
    flush,
  };
}

/** A reader that stays behind by more than this gets no further lines until it has caught up. */
const furthestBehind = 4 * 1_024 * 1_024;

/** Standard error, bounded: nobody may read it. */
export function standardErrorLines(stream: NodeJS.WriteStream = process.stderr): (text: string) => void {
  let left = 0;
  return (text) => {
    if (stream.writableLength > furthestBehind) {
      left += text.split('\n').length - 1;
      return;
    }
    const note = left === 0 ? '' : `${JSON.stringify({ time: new Date().toISOString(), level: 'warn', event: 'log', left_out: left })}\n`;
    left = 0;
    stream.write(`${note}${text}`);
  };
}
