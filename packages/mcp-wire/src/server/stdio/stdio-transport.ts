/**
 * Owns the life of the stdio front: reading, the pace of reading, and the end.
 *
 * Invariants
 * 1. While the client does not read, nothing more is read of it.
 * 2. The end of the input lets what runs end within the limit; the end of the output cancels it at once.
 */
import { RequestRegistry } from '../request-registry.ts';
import type { ServerFace } from '../handler.ts';
import { LineWriter } from './line-writer.ts';
import { StdioConnection } from './stdio-connection.ts';
import { LineReader } from './line-reader.ts';
import type { StdioFront, StdioFrontOptions } from './stdio-options.ts';

/** Speaks to the one client at the other end of two streams. Nothing else may write to the output. */
export function stdioFront(face: ServerFace, options: StdioFrontOptions): StdioFront {
  const { input, output, messageBytes = 67_108_864, depth = 128, inFlight = 1000, subscriptions = 100, drainMs = 10_000 } = options;
  const desk = new RequestRegistry(face, inFlight, options.onFault);
  let ending: Promise<void> | undefined;
  const end = (limitMs: number, reason: string): Promise<void> => (ending ??= shut(limitMs, reason));
  const channel = new LineWriter(output, () => {
    connection.end('The client is gone');
    void end(0, 'The client is gone');
  });
  const connection = new StdioConnection(desk, channel, { messageBytes, depth, subscriptions });
  const lines = new LineReader(messageBytes, connection);

  const onData = (chunk: Buffer): void => {
    lines.push(chunk);
    if (!channel.isFull || input.isPaused()) return;
    input.pause();
    channel.whenDrained(() => input.resume());
  };
  const onEnd = (): void => {
    lines.finish();
    void end(drainMs, 'The client is gone');
  };

  async function shut(limitMs: number, reason: string): Promise<void> {
    connection.finishListeners();
    await desk.close(channel.isGone ? 0 : limitMs);
    input.off('data', onData).off('end', onEnd).off('close', onEnd).pause();
    connection.end(reason);
    await channel.flushed();
    whenEnded();
  }

  let whenEnded = (): void => {};
  const ended = new Promise<void>((resolve) => {
    whenEnded = resolve;
  });
  input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd);

  return {
    ended,
    publish: (method, params) => connection.publish(method, params),
    status: () => ({
      sessions: connection.isGreeted ? 1 : 0,
      subscriptions: connection.subscriptions,
      requestsInFlight: desk.running.size,
    }),
    close: (limitMs) => end(limitMs, 'The server is closing'),
  };
}
