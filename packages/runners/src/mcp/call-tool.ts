/**
 * Owns one tool call over a supervised server.
 *
 * Invariants
 * 1. A call is sent a second time only when the server has said that it did not run it (unknown session).
 * 2. An aborted call settles when the server has proved to be alive behind the cancellation, or has been killed.
 */
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { AttemptContext } from '@holdfast/core';
import { isRecord } from '../options/fields.ts';
import { codeOf, messageOf, runnerError } from '../runner-error.ts';
import { onAbort } from '../abort.ts';
import { type Connection, isWell, statusOf } from './connection.ts';
import { lostCallMark } from './http-link.ts';
import type { McpSettings } from './options.ts';
import { outputOf } from './result.ts';
import type { Supervisor } from './supervisor.ts';

/** The longest wait of a timer: the time limit of the attempt is the only one. */
const noTimeoutMs = 2_147_483_647;

export async function callTool(
  settings: McpSettings,
  supervisor: Supervisor,
  name: string,
  args: unknown,
  context: AttemptContext,
  signal: AbortSignal,
): Promise<unknown> {
  const params = callParams(name, args, context);
  for (let isReplay = false; ; isReplay = true) {
    const connection = await orAborted(supervisor.connection(), signal);
    let result: CallToolResult;
    try {
      result = await supervisor.using(connection, () => send(connection, params, context, signal));
    } catch (error) {
      if (signal.aborted) {
        await stopCall(settings, connection);
        throw signal.reason;
      }
      if (isReplay || !isUnknownSession(error)) throw callError(settings, connection, error);
      supervisor.retire(connection);
      continue;
    }
    supervisor.succeeded();
    return outputOf(result);
  }
}

function send({ client }: Connection, params: CallParams, context: AttemptContext, signal: AbortSignal): Promise<CallToolResult> {
  return client.callTool(params, {
    signal,
    timeout: noTimeoutMs,
    onprogress: ({ progress, total, message }) =>
      context.reportProgress({ progress, ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) }),
  });
}

interface CallParams {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly _meta: Record<string, unknown>;
}

function callParams(name: string, args: unknown, { idempotencyKey }: AttemptContext): CallParams {
  if (args !== undefined && args !== null && !isRecord(args))
    throw runnerError('INVALID_ARGUMENT', 'The arguments of an MCP tool are an object');
  return { name, arguments: { ...args }, _meta: { 'holdfast/idempotency-key': idempotencyKey } };
}

/** The connection is made for everybody: an aborted call stops waiting for it, it does not stop the greeting. */
async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let unlisten = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    unlisten = onAbort(signal, () => reject(signal.reason as Error));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    unlisten();
  }
}

/** The protocol client has sent the cancellation; a server that does not even answer a ping after it is hung. */
async function stopCall({ endpoint, healthTimeoutMs }: McpSettings, connection: Connection): Promise<void> {
  if (endpoint.type === 'http') return settledWithin(connection.link.cancelsDelivered(), healthTimeoutMs);
  if (connection.link.endReason() !== undefined || (await isWell(connection, healthTimeoutMs))) return;
  const reason = `it was hung: no answer to a ping within ${healthTimeoutMs} ms after an aborted call`;
  await connection.link.kill(runnerError('MCP_SERVER_DOWN', reason));
}

async function settledWithin(promise: Promise<void>, limitMs: number): Promise<void> {
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    patience = setTimeout(resolve, limitMs);
  });
  await Promise.race([promise, late]);
  clearTimeout(patience);
}

/** 404 as the protocol says it, and 400 with a text about the session as common servers say it. */
function isUnknownSession(error: unknown): boolean {
  const status = statusOf(error);
  return status === 404 || (status === 400 && /session/i.test(messageOf(error)));
}

function callError(settings: McpSettings, { link }: Connection, error: unknown): unknown {
  const code = codeOf(error);
  if (code === 'NOT_CONNECTED' || messageOf(error) === 'Not connected')
    return runnerError('MCP_SERVER_DOWN', `MCP server ${settings.name} is down: it has just ended`, { cause: error, retryAfterMs: 0 });
  if (code !== 'CONNECTION_CLOSED' && !isLostCall(error)) return error;
  const reason = link.endReason();
  const stderr = link.stderrTail();
  if (codeOf(reason) === 'MCP_MESSAGE_TOO_LARGE')
    return runnerError('MCP_MESSAGE_TOO_LARGE', `MCP server ${settings.name}: ${messageOf(reason)}`, { cause: error });
  const why = reason === undefined ? 'the connection was closed' : messageOf(reason);
  const told = stderr.trim() === '' ? '' : `; it wrote: ${stderr.trim().slice(-300)}`;
  return runnerError('MCP_CALL_LOST', `MCP server ${settings.name} was lost while the call ran: ${why}${told}`, {
    cause: code === 'CONNECTION_CLOSED' ? error : Object.assign(new Error(messageOf(error)), { code: 'CONNECTION_CLOSED' }),
    stderr: stderr === '' ? undefined : stderr,
  });
}

function isLostCall(error: unknown): boolean {
  return isRecord(error) && error['data'] === lostCallMark;
}
