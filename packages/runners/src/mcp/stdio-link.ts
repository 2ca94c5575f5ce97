/**
 * Owns the process of a stdio server: its process group and its end.
 *
 * Invariants
 * 1. The server and all processes it has started end with the link.
 * 2. A server that closes its output is ended, since it can no longer answer.
 */
import { waitAtMost } from '@holdfast/core/internal/plain';
import { stdioLink as messagesOverStdio } from '@holdfast/mcp-wire/client';
import { childEnvironment } from '../options/environment.ts';
import { secretRedactor } from '../options/secret.ts';
import { drain, endTree, sweepGroup } from '../process/end-tree.ts';
import { guardGroup } from '../process/guard.ts';
import { tailOf } from '../process/output.ts';
import { type ProcessTree, startTree } from '../process/process-tree.ts';
import { startFailure } from '../process/start-failure.ts';
import { runnerError } from '../runner-error.ts';
import type { ServerLink } from './link.ts';
import type { McpSettings, StdioEndpoint } from './options.ts';

const stderrTailBytes = 4096;

export function stdioLink(settings: McpSettings, endpoint: StdioEndpoint): ServerLink {
  const tree = startedTree(endpoint);
  const { leader } = tree;
  const release = guardGroup(leader.pid);
  const redact = secretRedactor(endpoint.env);
  const rawTail = tailOf(leader.stderr, stderrTailBytes);
  const stderrTail = (): string => redact(rawTail());
  let endReason: Error | undefined;
  let { graceMs } = settings;
  const gone = new Promise<void>((resolve) => {
    leader.on('error', (cause) => {
      endReason ??= startFailure(cause, endpoint);
      if (leader.pid === undefined) resolve();
    });
    leader.once('exit', (exitCode, signal) => {
      endReason ??= runnerError('MCP_SERVER_DOWN', signal === null ? `it exited with code ${exitCode}` : `it was ended by ${signal}`);
      void drain(tree).then(resolve);
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
  endAfterOutputCloses(tree, settings.graceMs, () => kill(runnerError('MCP_SERVER_DOWN', 'it closed its output')));
  const messages = messagesOverStdio({
    input: leader.stdin,
    output: leader.stdout,
    ended: gone,
    close: () => closeGently(tree, gone, () => graceMs),
    maxMessageBytes: settings.maxMessageBytes,
  });
  return {
    messages,
    pid: leader.pid,
    stderrTail,
    endReason: () => endReason,
    limitGrace(limitMs) {
      graceMs = Math.min(graceMs, limitMs);
    },
    kill,
  };
}

/** Some failures are thrown, others are events. */
function startedTree({ command, args, cwd, inheritEnv, env }: StdioEndpoint): ProcessTree {
  const environment = childEnvironment(inheritEnv, env);
  try {
    return startTree({ command, args, cwd, environment });
  } catch (cause) {
    throw startFailure(cause, { command, cwd });
  }
}

/** A server that exits closes its output first: it gets this time to exit. */
function endAfterOutputCloses({ leader }: ProcessTree, graceMs: number, end: () => Promise<void>): void {
  leader.stdout.once('end', () => {
    if (leader.exitCode !== null || leader.signalCode !== null) return;
    const timer = setTimeout(() => void end(), graceMs);
    leader.once('exit', () => clearTimeout(timer));
  });
}

/** Closes the server's input, the signal to exit; then sends SIGTERM and SIGKILL. */
async function closeGently(tree: ProcessTree, gone: Promise<void>, graceMs: () => number): Promise<void> {
  tree.leader.stdin.end();
  const endedByItself = await waitAtMost(
    globalThis,
    gone.then(() => true),
    graceMs(),
  );
  if (endedByItself !== true) await endTree(tree, graceMs());
  // What it has written and was not read is not needed, and would be waited for.
  for (const pipe of [tree.leader.stdout, tree.leader.stderr]) pipe.destroy();
  await gone;
}
