/**
 * Parses server-sent events from chunks of text. Uses no clock and no connection.
 *
 * 1. A message is complete at its empty line; the rest waits for the next chunk.
 * 2. Lines end in LF, CR or CRLF, even if a CRLF is split between two chunks.
 * 3. Comments and unknown fields are ignored. A message without data is ignored, but its id counts.
 */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
}

export interface EventReader {
  /** Returns the messages that this chunk completes. */
  readonly push: (chunk: string) => readonly StreamMessage[];
  /** The id of the last message. */
  readonly lastId: () => string | undefined;
  /** The reconnection time, if the server has sent one. */
  readonly retryMs: () => number | undefined;
}

export function createEventReader(): EventReader {
  let rest = '';
  let event = '';
  let data: string[] = [];
  let lastId: string | undefined;
  let retryMs: number | undefined;
  let started = false;

  const parseField = (line: string): void => {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /u, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) lastId = value;
    else if (name === 'retry' && /^\d+$/u.test(value)) retryMs = Number(value);
  };

  const takeMessage = (): StreamMessage | undefined => {
    const message = data.length === 0 ? undefined : { event: event === '' ? 'message' : event, data: data.join('\n') };
    event = '';
    data = [];
    return message && (lastId === undefined ? message : { ...message, id: lastId });
  };

  const push = (chunk: string): readonly StreamMessage[] => {
    rest += !started && chunk.startsWith('\uFEFF') ? chunk.slice(1) : chunk;
    started ||= chunk !== '';
    const messages: StreamMessage[] = [];
    for (let end = nextLine(rest); end !== undefined; end = nextLine(rest)) {
      const line = rest.slice(0, end.at);
      rest = rest.slice(end.next);
      const message = line === '' ? takeMessage() : parseField(line);
      if (message) messages.push(message);
    }
    return messages;
  };

  return { push, lastId: () => lastId, retryMs: () => retryMs };
}

/** A CR at the end of a chunk may be half of a CRLF, so it waits for the next chunk. */
function nextLine(text: string): { readonly at: number; readonly next: number } | undefined {
  const at = text.search(/[\r\n]/u);
  if (at === -1) return undefined;
  if (text[at] === '\n') return { at, next: at + 1 };
  if (at + 1 === text.length) return undefined;
  return { at, next: text[at + 1] === '\n' ? at + 2 : at + 1 };
}
