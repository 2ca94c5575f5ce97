/**
 * Owns looking into a stream of server-sent events while it passes through. It rewrites lines and does not assemble events, so it is no event reader.
 *
 * Invariants
 * 1. Without an edit every byte goes on as it came, at once, before it is looked at.
 * 2. With an edit only the lines that it changes are written anew. What holds back a line is its missing end, nothing else.
 * 3. Nothing that is seen in it can break the stream.
 */
import { tryParse } from '../json.ts';

export interface WatchEventsOptions {
  /** Hears the data of each event: its value, or `[DONE]`. */
  readonly onEvent: (data: unknown) => void;
  /** Hears the end, once: `[DONE]`, behind which many do not read on, or the end of the stream. Not of a stream that was cancelled. */
  readonly onEnd: () => void;
  /** Another value for an event's data, or the same. Absent: nothing is changed. */
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
  /** The line that has no end yet, in pieces. */
  let rest: string[] = [];
  /** What is complete of the text so far, with edits. */
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
    const data = text === done ? { value: text } : tryParse(text);
    if (!data) return;
    onEvent(data.value);
    const edited = edit ? edit(data.value) : data.value;
    if (edited !== data.value) outcome = `data: ${JSON.stringify(edited)}${line.endsWith('\r') ? '\r' : ''}`;
  });
  return outcome;
}

function ignoreErrors(look: () => unknown): void {
  try {
    look();
  } catch {
    // What watches must not break what it watches.
  }
}
