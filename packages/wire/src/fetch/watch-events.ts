/**
 * Owns observing a stream of server-sent events while passing it on.
 *
 * Invariants
 * 1. Without an edit, every byte is passed on unchanged and immediately, before it is parsed.
 * 2. With an edit, only the lines it changes are rewritten. A line is held back only until it is complete.
 * 3. No content can break the stream.
 */
import { parseJsonOrUndefined } from '../json.ts';

export interface WatchEventsOptions {
  /** Called with the data of each event: the parsed value, or `[DONE]`. */
  readonly onEvent: (data: unknown) => void;
  /** Called once at the end: at `[DONE]`, after which many clients stop reading, or at the end of the stream. Not called if the stream is cancelled. */
  readonly onEnd: () => void;
  /** Returns a replacement for the data of an event, or the same value. If absent, nothing is changed. */
  readonly edit?: ((data: unknown) => unknown) | undefined;
}

const done = '[DONE]';

export function watchEvents(given: WatchEventsOptions): TransformStream<Uint8Array, Uint8Array> {
  const { edit } = given;
  let ended = false;
  const end = (): void => {
    if (!ended) given.onEnd();
    ended = true;
  };
  const onEvent = (data: unknown): void => {
    given.onEvent(data);
    if (data === done) end();
  };
  const options: WatchEventsOptions = { ...given, onEvent };
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  /** The incomplete last line, in pieces. */
  let rest: string[] = [];
  /** Returns the complete lines of the text so far, with edits. */
  const take = (text: string): string => {
    const end = text.lastIndexOf('\n') + 1;
    const whole = end === 0 ? '' : rest.join('') + text.slice(0, end);
    if (end > 0) rest = [];
    if (end < text.length) rest.push(text.slice(end));
    return whole
      .split('\n')
      .map((line) => readLine(line, options))
      .join('\n');
  };
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      if (edit) return controller.enqueue(encoder.encode(take(decoder.decode(chunk, { stream: true }))));
      controller.enqueue(chunk);
      ignoreErrors(() => take(decoder.decode(chunk, { stream: true })));
    },
    flush: (controller) => {
      const last = rest.join('') + decoder.decode();
      rest = [];
      const line = readLine(last, options);
      if (edit && line !== '') controller.enqueue(encoder.encode(line));
      ignoreErrors(end);
    },
  });
}

function readLine(line: string, { onEvent, edit }: WatchEventsOptions): string {
  if (!line.startsWith('data:')) return line;
  const text = line.slice('data:'.length).trim();
  if (text === '') return line;
  let outcome = line;
  ignoreErrors(() => {
    const value = text === done ? text : parseJsonOrUndefined(text);
    if (value === undefined) return;
    onEvent(value);
    const edited = edit ? edit(value) : value;
    if (edited !== value) outcome = `data: ${JSON.stringify(edited)}${line.endsWith('\r') ? '\r' : ''}`;
  });
  return outcome;
}

function ignoreErrors(look: () => unknown): void {
  try {
    look();
  } catch {
    // An observer must not break the stream.
  }
}
