/**
 * Owns one request over a supervised server.
 *
 * Invariants
 * 1. A request is sent again only if the server reports that it did not accept it (unknown session).
 * 2. An aborted request settles when the server has answered a ping after the cancellation, or was killed.
 */
import { waitAtMost } from '@holdfast/core/internal/plain';
import type { ClientRequestOptions, JsonObject, WireError } from '@holdfast/mcp-wire/client';
import { onAbort } from '../abort.ts';
import { codeOf, messageOf, runnerError } from '../runner-error.ts';
import { isRedirect, redirectText } from './redirect.ts';
import type { Connection } from './connection.ts';
import type { McpSettings } from './options.ts';
import type { Supervisor } from './supervisor.ts';

export interface SignalledOptions extends ClientRequestOptions {
  readonly signal: AbortSignal;
}

export async function request(
  settings: McpSettings,
  supervisor: Supervisor,
  method: string,
  params: JsonObject | undefined,
  options: SignalledOptions,
): Promise<JsonObject> {
  const { signal } = options;
  for (let isReplay = false; ; isReplay = true) {
    const connection = supervisor.live() ?? (await orAborted(supervisor.connection(), signal));
    try {
      const result = await supervisor.using(connection, () => connection.peer.request(method, params, options));
      supervisor.recordSuccess();
      return result;
    } catch (error) {
      if (signal.aborted) {
        await stopRequest(settings, connection);
        throw signal.reason;
      }
      if (isReplay || !isUnknownSession(error)) throw requestError(settings, connection, error);
      supervisor.retire(connection);
    }
  }
}

/** All calls share the connection: an aborted call stops waiting for it, but does not abort the handshake. */
async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let removeListeners = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    removeListeners = onAbort(signal, () => reject(signal.reason as Error));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    removeListeners();
  }
}

/** Sends the cancellation and a ping: a server that does not answer the ping hangs. */
async function stopRequest({ endpoint, healthTimeoutMs }: McpSettings, { peer, link }: Connection): Promise<void> {
  if (endpoint.type === 'http') return waitAtMost(globalThis, peer.cancelsDelivered(), healthTimeoutMs);
  if (link.endReason() !== undefined || (await peer.isResponsive(healthTimeoutMs))) return;
  await link.kill(runnerError('MCP_SERVER_DOWN', `it hangs: no answer to a ping within ${healthTimeoutMs} ms after an aborted call`));
}

/** 404 as in the protocol, 400 with a text about the session as from common servers, or 400 with an error of the other era. */
function isUnknownSession(error: unknown): boolean {
  if (codeOf(error) !== 'HTTP_STATUS') return false;
  const { status, body } = error as WireError;
  return status === 404 || (status === 400 && /session|"code"\s*:\s*-3202[02]\b/i.test(body ?? ''));
}

function requestError(settings: McpSettings, { link }: Connection, error: unknown): unknown {
  const { name } = settings;
  const message = messageOf(error);
  switch (codeOf(error)) {
    case 'NOT_CONNECTED':
      return runnerError('MCP_SERVER_DOWN', `MCP server ${name} is down: it has just exited`, { cause: error, retryAfterMs: 0 });
    case 'MESSAGE_TOO_LARGE':
      return runnerError(
        'MCP_MESSAGE_TOO_LARGE',
        `MCP server ${name}: ${message}; the limit is maxMessageBytes, in a manifest max_message_bytes`,
        {
          cause: error,
        },
      );
    case 'INVALID_ANSWER':
      return runnerError('INVALID_RESPONSE', `MCP server ${name}: ${message}`, { cause: error });
    case 'HTTP_STATUS': {
      const { status = 0, headers, body } = error as WireError;
      if (isRedirect(status))
        return runnerError('REDIRECT_FORBIDDEN', `MCP server ${name}: ${redirectText(status, headers)}`, { status, headers });
      return runnerError('HTTP_STATUS', `${message.replace(/^HTTP \d+/, '$& from the MCP server')}`, { status, headers, body });
    }
    case 'ANSWER_LOST':
      return lostError(name, message, error, '');
    case 'CONNECTION_CLOSED':
      return lostError(name, messageOf(link.endReason() ?? 'the connection was closed'), error, link.stderrTail());
    default:
      return error;
  }
}

function lostError(name: string, why: string, error: unknown, stderr: string): Error {
  const output = stderr.trim() === '' ? '' : `; it wrote: ${stderr.trim().slice(-300)}`;
  const { cause } = error as Error;
  const closed = new Error(messageOf(error), cause === undefined ? {} : { cause });
  return runnerError('MCP_CALL_LOST', `MCP server ${name} was lost during the call: ${why}${output}`, {
    cause: Object.assign(closed, { code: 'CONNECTION_CLOSED' }),
    stderr: stderr === '' ? undefined : stderr,
  });
}
