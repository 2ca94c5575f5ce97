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
  readonly accepted: Promise<void>;
  readonly close: () => void;
}

const firstDelayMs = 500;
const maxDelayMs = 30_000;
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
  let accept = (): void => {};
  let refuse: (error: unknown) => void = () => {};
  const beginning = new Promise<void>((resolve, reject) => {
    accept = resolve;
    refuse = reject;
  });
  beginning.catch(() => {});
  const acceptTimer = setTimeout(() => accept(), maxWaitMs);

  const close = (): void => {
    isOver = true;
    clearTimeout(acceptTimer);
    clearTimeout(timer);
    closing.abort();
    refuse(new Error('The stream was closed before the server accepted it'));
  };
  const onNotification = (method: string, params: JsonObject): void => {
    if (isOver) return;
    tries = 0;
    if (method !== 'notifications/subscriptions/acknowledged') return hear(method, params);
    clearTimeout(acceptTimer);
    accept();
  };
  const open = async (): Promise<void> => {
    try {
      await peer.request('subscriptions/listen', { notifications }, { signal: closing.signal, onNotification });
    } catch (error) {
      refuse(error);
      // An error of the server.
      if (typeof codeOf(error) === 'number') isOver = true;
    }
    if (!isOver) timer = setTimeout(() => void open(), Math.min(firstDelayMs * 2 ** tries++, maxDelayMs));
  };
  void peer.ended.then(close);
  void open();
  return { accepted: beginning, close };
}
