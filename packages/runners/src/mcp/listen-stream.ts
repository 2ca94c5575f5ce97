/**
 * Owns one `subscriptions/listen` of a modern server, reopened when it ends.
 *
 * Invariants
 * 1. It ends with its connection, and at `close`; no notification follows.
 * 2. It is not reopened after the server refuses it.
 */
import type { JsonObject, McpConnection } from '@holdfast/mcp-wire/client';
import { codeOf } from '../runner-error.ts';

export interface ListenStream {
  /** Resolves when the server has accepted the filter, or has not refused it for a while. Rejects if it refuses or disconnects. */
  readonly taken: Promise<void>;
  readonly close: () => void;
}

const firstDelayMs = 500;
const longestDelayMs = 30_000;
/** For servers that do not acknowledge a filter. */
const maxWaitMs = 5000;

export function listenStream(
  peer: McpConnection,
  notifications: JsonObject,
  hear: (method: string, params: JsonObject) => void,
): ListenStream {
  const closing = new AbortController();
  let tries = 0;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let taken = (): void => {};
  let refused: (error: unknown) => void = () => {};
  const beginning = new Promise<void>((resolve, reject) => {
    taken = resolve;
    refused = reject;
  });
  beginning.catch(() => {});
  const acceptTimer = setTimeout(() => taken(), maxWaitMs);

  const close = (): void => {
    isOver = true;
    clearTimeout(acceptTimer);
    clearTimeout(timer);
    closing.abort();
    refused(new Error('The stream was closed before the server accepted it'));
  };
  const onNotification = (method: string, params: JsonObject): void => {
    if (isOver) return;
    tries = 0;
    if (method !== 'notifications/subscriptions/acknowledged') return hear(method, params);
    clearTimeout(acceptTimer);
    taken();
  };
  const open = async (): Promise<void> => {
    try {
      await peer.request('subscriptions/listen', { notifications }, { signal: closing.signal, onNotification });
    } catch (error) {
      refused(error);
      // An error of the server.
      if (typeof codeOf(error) === 'number') isOver = true;
    }
    if (!isOver) timer = setTimeout(() => void open(), Math.min(firstDelayMs * 2 ** tries++, longestDelayMs));
  };
  void peer.ended.then(close);
  void open();
  return { taken: beginning, close };
}
