/**
 * Owns the pipe to a stdio server: JSON-RPC messages as lines, and the server's process group.
 *
 * Invariants
 * 1. The server and everything it has started ends with the link.
 * 2. A line that is no JSON-RPC message is skipped; a message over the limit ends the link with its cause kept.
 */
import { type JSONRPCMessage, type Transport, deserializeMessage, serializeMessage } from '@modelcontextprotocol/client';
import { childEnvironment } from '../options/environment.ts';
import { secretRedactor } from '../options/secret.ts';
import { drained, endTree, sweepGroup } from '../process/end-tree.ts';
import { guardGroup } from '../process/guard.ts';
import { lineSplitter, tailOf } from '../process/output.ts';
import { type ProcessTree, startTree } from '../process/process-tree.ts';
import { runnerError } from '../runner-error.ts';
import type { ServerLink } from './link.ts';
import type { McpSettings, StdioEndpoint } from './options.ts';

const stderrTailBytes = 4096;

export function stdioLink(settings: McpSettings, endpoint: StdioEndpoint): ServerLink {
  const tree = startTree({
    command: endpoint.command,
    args: endpoint.args,
    cwd: endpoint.cwd,
    environment: childEnvironment(endpoint.inheritEnv, endpoint.env),
  });
  const { leader } = tree;
  const release = guardGroup(leader.pid);
  const redact = secretRedactor(endpoint.env);
  const rawTail = tailOf(leader.stderr, stderrTailBytes);
  const stderrTail = (): string => redact(rawTail());
  let endReason: Error | undefined;
  const gone = new Promise<void>((resolve) => {
    leader.on('error', (cause) => {
      endReason ??= cause;
      if (leader.pid === undefined) resolve();
    });
    leader.once('exit', (exitCode, signal) => {
      endReason ??= runnerError('MCP_SERVER_DOWN', signal === null ? `it exited with code ${exitCode}` : `it was ended by ${signal}`);
      void drained(tree).then(resolve);
    });
  }).then(() => {
    sweepGroup(tree);
    release();
    for (const pipe of [leader.stdin, leader.stdout, leader.stderr]) pipe.destroy();
  });

  const kill = async (reason: Error): Promise<void> => {
    endReason ??= reason;
    await endTree(tree, 0);
    await gone;
  };
  const transport = pipeTransport(tree, gone, settings.maxMessageBytes, {
    onOverlong: (error) => void kill(error),
    close: () => closeGently(tree, gone, settings.graceMs),
  });
  return { transport, pid: leader.pid, stderrTail, endReason: () => endReason, kill, cancelsDelivered: () => Promise.resolve() };
}

interface PipeHooks {
  readonly onOverlong: (error: Error) => void;
  readonly close: () => Promise<void>;
}

function pipeTransport({ leader }: ProcessTree, gone: Promise<void>, maxMessageBytes: number, hooks: PipeHooks): Transport {
  const transport: Transport = {
    async start() {
      leader.stdout.on(
        'data',
        lineSplitter((line) => receive(transport, line), maxMessageBytes, overlong),
      );
      leader.stdout.on('error', () => {});
      leader.stdin.on('error', () => {});
      void gone.then(() => transport.onclose?.());
      if (leader.pid === undefined) await gone;
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        leader.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
      }),
    close: hooks.close,
  };
  const overlong = (): void => {
    const error = runnerError('MCP_MESSAGE_TOO_LARGE', `a message was longer than ${maxMessageBytes} bytes`);
    transport.onerror?.(error);
    hooks.onOverlong(error);
  };
  return transport;
}

function receive(transport: Transport, line: string): void {
  let message: JSONRPCMessage;
  try {
    message = deserializeMessage(line);
  } catch (error) {
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  // The protocol client handles a notification one turn later, and forgets the call with its answer: an answer that came in the
  // same chunk as the last progress would swallow that.
  if ('method' in message) transport.onmessage?.(message);
  else queueMicrotask(() => transport.onmessage?.(message));
}

/** Closes the server's input, which tells a good server to end; then SIGTERM and SIGKILL. */
async function closeGently(tree: ProcessTree, gone: Promise<void>, graceMs: number): Promise<void> {
  tree.leader.stdin.end();
  let patience: NodeJS.Timeout | undefined;
  const endedByItself = await Promise.race([
    gone.then(() => true),
    new Promise<false>((resolve) => {
      patience = setTimeout(() => resolve(false), graceMs);
    }),
  ]);
  clearTimeout(patience);
  if (!endedByItself) await endTree(tree, graceMs);
  await gone;
}
