/**
 * Owns reading a stream of server-sent events from bytes.
 *
 * Invariants
 * 1. Lines end with LF, CR or both; a character or a line end that comes in two chunks is whole.
 * 2. After an event over the limit nothing is read.
 */

export interface EventStreamListener {
  /** `type` is `'message'` where the server does not say. */
  readonly event: (data: string, type: string) => void;
  /** The server has given the place reached in the stream a name. */
  readonly eventId: (id: string) => void;
  /** How long clients are to wait before they connect again. */
  readonly retry: (ms: number) => void;
  readonly tooLong: () => void;
}

const lf = 10;
const cr = 13;

export function eventStreamReader(maxEventBytes: number, listener: EventStreamListener): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let isFirst = true;
  let skipLf = false;
  let isOver = false;
  let data: string[] = [];
  let type = '';
  let id: string | undefined;

  const dispatch = (): void => {
    if (id !== undefined) listener.eventId(id);
    if (data.length > 0) listener.event(data.length === 1 ? (data[0] ?? '') : data.join('\n'), type === '' ? 'message' : type);
    data = [];
    type = '';
    id = undefined;
    size = 0;
  };
  const field = (name: string, value: string): void => {
    if (name === 'data') data.push(value);
    else if (name === 'event') type = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) listener.retry(Number(value));
  };
  const line = (text: string): void => {
    const content = isFirst && text.startsWith('\uFEFF') ? text.slice(1) : text;
    isFirst = false;
    if (content === '') return dispatch();
    const colon = content.indexOf(':');
    // Comments keep a connection alive; they are no part of an event.
    if (colon === 0 && data.length === 0) size = 0;
    if (colon === 0) return;
    if (colon === -1) return field(content, '');
    field(content.slice(0, colon), content.slice(content.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1));
  };
  const endLine = (chunk: Buffer, start: number, stop: number): void => {
    if (parts.length === 0) return line(chunk.toString('utf8', start, stop));
    const text = Buffer.concat([...parts, chunk.subarray(start, stop)]).toString('utf8');
    parts = [];
    line(text);
  };

  return (chunk) => {
    if (isOver || chunk.length === 0) return;
    let start = skipLf && chunk[0] === lf ? 1 : 0;
    skipLf = false;
    let nextCr = chunk.indexOf(cr, start);
    while (start < chunk.length) {
      const nextLf = chunk.indexOf(lf, start);
      const isCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const stop = isCr ? nextCr : nextLf;
      size += (stop === -1 ? chunk.length : stop) - start;
      if (size > maxEventBytes) {
        isOver = true;
        parts = [];
        data = [];
        return listener.tooLong();
      }
      if (stop === -1) return void parts.push(chunk.subarray(start));
      endLine(chunk, start, stop);
      start = stop + 1;
      if (!isCr) continue;
      if (start === chunk.length) skipLf = true;
      else if (chunk[start] === lf) start++;
      nextCr = chunk.indexOf(cr, start);
    }
  };
}
