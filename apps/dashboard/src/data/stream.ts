/** Opens and reads event streams of the gateway, and computes reconnect delays. */
import type { EventReader, StreamMessage } from './event-stream.ts';
import { headersOf } from './request.ts';

/** Rejects like `fetch`. */
export const openStream = (path: string, signal: AbortSignal): Promise<Response> =>
  fetch(path, { headers: { accept: 'text/event-stream', ...headersOf() }, cache: 'no-store', credentials: 'omit', signal });

/** Yields the messages that each chunk completes, possibly none. With `idleTimeoutMs`, a stream without data for that long ends. */
export async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  events: EventReader,
  idleTimeoutMs?: number,
): AsyncGenerator<readonly StreamMessage[], void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const startTimer = (): ReturnType<typeof setTimeout> | undefined =>
    idleTimeoutMs === undefined ? undefined : setTimeout(() => void reader.cancel(), idleTimeoutMs);
  let timer = startTimer();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      timer = startTimer();
      yield events.push(decoder.decode(part.value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
  }
}

const maxDoublings = 5;

/** Doubles with each failure, with jitter so that pages do not reconnect at the same time. */
export const pauseMs = (baseMs: number, failures: number, maxMs: number): number =>
  Math.min(maxMs, baseMs * 2 ** Math.min(failures, maxDoublings)) * (0.75 + Math.random() / 2);
