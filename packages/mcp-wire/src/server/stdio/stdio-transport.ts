/**
 * Owns the life cycle of the stdio transport: reading, backpressure, and closing.
 *
 * Invariants
 * 1. While the client does not read, nothing more is read from it.
 * 2. The end of the input lets running requests finish within the time limit; the end of the output cancels them at once.
 */
import { checkOptions, type OptionKinds } from '../../check-options.ts';
import { RequestRegistry } from '../request-registry.ts';
import type { ServerHandler } from '../handler.ts';
import { LineWriter } from './line-writer.ts';
import { StdioConnection } from './stdio-connection.ts';
import { LineReader } from './line-reader.ts';
import type { StdioTransport, StdioTransportOptions } from './stdio-options.ts';

const frontKinds: OptionKinds<StdioTransportOptions> = {
  input: 'object',
  output: 'object',
  messageBytes: 'amount',
  depth: 'amount',
  inFlight: 'amount',
  subscriptions: 'amount',
  drainMs: 'amount',
  onFault: 'function',
};

/** Serves the one client at the other end of two streams. Nothing else may write to the output. */
export function stdioTransport(handler: ServerHandler, options: StdioTransportOptions): StdioTransport {
  checkOptions(frontKinds, options, 'stdioTransport', ['input', 'output']);
  const { input, output, messageBytes = 67_108_864, depth = 128, inFlight = 1000, subscriptions = 100, drainMs = 10_000 } = options;
  const registry = new RequestRegistry(handler, inFlight, options.onFault);
  let ending: Promise<void> | undefined;
  const end = (limitMs: number, reason: string): Promise<void> => (ending ??= close(limitMs, reason));
  const channel = new LineWriter(output, () => {
    connection.end('The client has disconnected');
    void end(0, 'The client has disconnected');
  });
  const connection = new StdioConnection(registry, channel, { messageBytes, depth, subscriptions });
  const lines = new LineReader(messageBytes, connection);

  const onData = (chunk: Buffer): void => {
    lines.push(chunk);
    if (!channel.isFull || input.isPaused()) return;
    input.pause();
    channel.whenDrained(() => input.resume());
  };
  const onEnd = (): void => {
    lines.finish();
    void end(drainMs, 'The client has disconnected');
  };

  async function close(limitMs: number, reason: string): Promise<void> {
    connection.finishListeners();
    await registry.close(channel.isGone ? 0 : limitMs);
    input.off('data', onData).off('end', onEnd).off('close', onEnd).pause();
    connection.end(reason);
    await channel.flush();
    whenEnded();
  }

  let whenEnded = (): void => {};
  const ended = new Promise<void>((resolve) => {
    whenEnded = resolve;
  });
  input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd);

  return {
    ended,
    publish: (method, params, isFor) => connection.publish(method, params, isFor),
    status: () => ({
      sessions: connection.isInitialized ? 1 : 0,
      subscriptions: connection.subscriptions,
      requestsInFlight: registry.running.size,
    }),
    close: (limitMs) => end(limitMs, 'The server is closing'),
  };
}
