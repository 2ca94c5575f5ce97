/** Owns what all streams of the gateway have in common: how one is asked for, read, and asked for again. */
import type { EventReader, StreamMessage } from './event-stream.ts';
import { headersOf } from './request.ts';

/** Rejects like `fetch`. */
export const openStream = (path: string, signal: AbortSignal): Promise<Response> =>
  fetch(path, { headers: { accept: 'text/event-stream', ...headersOf() }, cache: 'no-store', credentials: 'omit', signal });

/** The messages that each chunk completes, which may be none. With `silenceMs` a line on which nothing comes for so long has ended. */
export async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  events: EventReader,
  silenceMs?: number,
): AsyncGenerator<readonly StreamMessage[], void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const watch = (): ReturnType<typeof setTimeout> | undefined =>
    silenceMs === undefined ? undefined : setTimeout(() => void reader.cancel(), silenceMs);
  let silence = watch();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(silence);
      silence = watch();
      yield events.push(decoder.decode(part.value, { stream: true }));
    }
  } finally {
    clearTimeout(silence);
  }
}

const mostDoublings = 5;

/** Twice as long for each failure, and never the same for two pages. */
export const pauseMs = (baseMs: number, failures: number, longestMs: number): number =>
  Math.min(longestMs, baseMs * 2 ** Math.min(failures, mostDoublings)) * (0.75 + Math.random() / 2);
