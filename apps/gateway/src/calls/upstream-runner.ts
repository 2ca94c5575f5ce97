/**
 * Owns one attempt of a server's tool.
 *
 * Invariants
 * 1. The output of a client's call is the unchanged result; the output of other calls is the content of the result.
 * 2. A result with `isError`, or one that does not match the output schema of the tool, is a failure.
 * 3. An aborted attempt settles when the request has been cancelled at the server.
 */
import type { AttemptContext, Runner, System } from '@holdfast/core';
import { type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import type { ClientRequestOptions } from '@holdfast/mcp-wire/client';
import type { RunUpstream, UpstreamTool } from '../catalog/upstream-tool.ts';
import type { McpServer } from '@holdfast/runners';
import { accessOf } from '../access/access.ts';
import { onBehalfOf, onBehalfOfIds } from '../access/on-behalf.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { type Exchange, type Exchanges, keepRaw } from './exchange.ts';
import { boundedError } from './bounded-error.ts';
import { canBeAsked } from '../relay/client-capabilities.ts';
import { InteractiveRequest } from './interactive-request.ts';
import { contractError, type OutputCheck, outputCheck } from './output-check.ts';
import { noteUnchecked } from '../patterns/unchecked-outputs.ts';
import { plainOutput } from './plain-output.ts';
import { upstreamParams } from './request-params.ts';
import type { Suspended } from './suspended.ts';
import { withEngineMarks, toolError } from './tool-error.ts';

type Server = Pick<McpServer, 'request'>;

/** The part of the upstreams that the catalog uses. */
export interface RunnerUpstreams {
  get(name: string): RunnerUpstream | undefined;
}

type RunnerUpstream = { readonly server: Server } & Partial<Pick<Upstream, 'use'>>;

export interface UpstreamRunnerOptions {
  readonly upstreams: RunnerUpstreams;
  readonly exchanges: Exchanges;
  readonly suspended: Suspended;
  readonly system: System;
  /** Whether there can be several clients. @default false */
  readonly keepsApart?: (() => boolean) | undefined;
}

export function upstreamRunner({ upstreams, exchanges, suspended, system, keepsApart = () => false }: UpstreamRunnerOptions): RunUpstream {
  return (tool) => {
    const check = tool.outputSchema === undefined ? undefined : outputCheck(tool.outputSchema);
    const run: Runner<unknown> = async (args, context) => {
      const exchange = exchanges.get(context.callId);
      const upstream = upstreams.get(tool.server);
      if (upstream === undefined) throw missingServer(tool.server);
      const server = serverFor(upstream, exchange, context, keepsApart);
      const { signal } = context;
      let result: JsonObject;
      try {
        result =
          exchange !== undefined && mayBeAsked(exchange)
            ? await runInteractive({ tool, server, exchange, suspended, system }, args, context)
            : await send({ tool, server, args, context, exchange, signal });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw withEngineMarks(exchange?.missing === undefined ? boundedError(error) : missingCapability(exchange.missing), tool.isGuessed);
      }
      if (exchange?.missing !== undefined && result['isError'] === true)
        throw withEngineMarks(missingCapability(exchange.missing), tool.isGuessed);
      return outputOf(result, tool, exchange, check);
    };
    return Object.assign(run, { kind: 'mcp' as const });
  };
}

/** Requests go over the connection that belongs to the client, or to the owner of the turn. */
function serverFor(
  { server, use }: RunnerUpstream,
  exchange: Exchange | undefined,
  { turnId, callId }: AttemptContext,
  keepsApart: () => boolean,
): Server {
  if (use === undefined) return server;
  const who = exchange === undefined ? onBehalfOfIds(turnId, callId, keepsApart()) : onBehalfOf(exchange.request.client);
  return { request: (method, params, options) => use(who, (own) => own.request(method, params, options)) };
}

/** Clients that cannot be asked are excluded: over stdio, a question goes to the only request whose client can be asked. */
const mayBeAsked = ({ handle, request }: Exchange): boolean => handle !== undefined || canBeAsked(request.client);

function missingCapability(name: string): Error {
  return rpcError(rpcCodes.missingClientCapability, `The server requires a capability that the client has not declared: ${name}`, {
    requiredCapabilities: { [name]: {} },
  });
}

function missingServer(name: string): Error {
  return Object.assign(new Error(`The MCP server '${name}' no longer exists`), { code: 'MCP_SERVER_DOWN' });
}

function outputOf(result: JsonObject, tool: UpstreamTool, exchange: Exchange | undefined, check: OutputCheck | undefined): unknown {
  if (result['isError'] === true) throw withEngineMarks(toolError(result), tool.isGuessed);
  if (result['resultType'] === 'input_required') {
    if (exchange === undefined) throw noClientToAsk(tool);
    return keepRaw(exchange, result);
  }
  let unchecked: string | undefined;
  if (check !== undefined && result['structuredContent'] !== undefined) {
    const problem = check(result['structuredContent'], (reason) => (unchecked = reason));
    if (problem !== undefined) throw contractError(tool.name, problem);
  }
  const output = exchange === undefined ? plainOutput(result) : keepRaw(exchange, result);
  if (unchecked !== undefined) noteUnchecked(output, unchecked);
  return output;
}

function noClientToAsk({ name }: UpstreamTool): Error {
  const error = new Error(`${name} asks for input, but there is no client to ask`);
  return Object.assign(error, { code: 'INPUT_REQUIRED', retryable: false });
}

interface Sending {
  readonly tool: UpstreamTool;
  readonly server: Server;
  readonly args: unknown;
  readonly context: AttemptContext;
  readonly exchange: Exchange | undefined;
  readonly signal: AbortSignal;
  readonly interactive?: InteractiveRequest;
}

function send(sending: Sending): Promise<JsonObject> {
  const { tool, server, args, context, exchange } = sending;
  const input = exchange !== undefined && exchange.tool === tool.name ? exchange.input : undefined;
  const params = upstreamParams(exchange?.request.params, tool, args, context.idempotencyKey, input);
  return server.request('tools/call', params, requestOptions(sending));
}

function requestOptions(sending: Sending): ClientRequestOptions {
  const { tool, exchange, signal, interactive } = sending;
  const client = exchange?.request.client;
  return {
    signal,
    onBehalfOf: exchange === undefined ? undefined : accessOf(exchange.request.client).owner,
    onProgress: progressListener(sending),
    onNotification: exchange === undefined ? undefined : notificationListener(sending, exchange),
    onRequest: interactive?.ask,
    clientInfo: client?.info,
    // A request without a client must not cause questions.
    clientCapabilities: client === undefined ? {} : client.capabilities,
    logLevel: exchange?.request.logLevel,
    inputSchema: tool.inputSchema,
  };
}

/** Progress is requested only if it is used. */
function progressListener({ tool, exchange, interactive, context }: Sending): ((progress: JsonObject) => void) | undefined {
  if (exchange !== undefined && exchange.progress === undefined && !tool.watchesProgress) return undefined;
  return (progress) => {
    (interactive?.context ?? context).reportProgress(progress);
    (interactive?.exchange ?? exchange)?.progress?.relay(progress);
  };
}

/** Whether a notification is about the whole server, not about this request. */
const concernsServer = (method: string): boolean => method.endsWith('/list_changed') || method === 'notifications/resources/updated';

/** A notification about the request is a sign of life, too. */
function notificationListener({ tool, interactive, context }: Sending, exchange: Exchange): (method: string, params: JsonObject) => void {
  return (method, params) => {
    if (tool.watchesProgress) (interactive?.context ?? context).reportProgress({});
    if (!concernsServer(method)) (interactive?.exchange ?? exchange).request.notify(method, params);
  };
}

interface Conversation {
  readonly tool: UpstreamTool;
  readonly server: Server;
  readonly exchange: Exchange;
  readonly suspended: Suspended;
  readonly system: System;
}

/** Runs an attempt for a client that can be asked. A question ends this attempt, not the request to the server. */
async function runInteractive(conversation: Conversation, args: unknown, context: AttemptContext): Promise<JsonObject> {
  const { tool, exchange, suspended, system } = conversation;
  const interactive = resume(conversation, context) ?? start(conversation, args, context);
  const event = await interactive.next(context.signal);
  if (event.type === 'ended') return event.result;
  if (exchange.request.client.era === 'modern') await waitForMoreQuestions(system);
  if (context.signal.aborted) throw context.signal.reason;
  const { principal, era } = exchange.request.client;
  const handle = suspended.add({ request: interactive, principal, tool: tool.name, isAttended: era === 'legacy' });
  exchange.left.push(handle);
  return { resultType: 'input_required', inputRequests: interactive.inputRequests, requestState: handle };
}

/** Waits for more questions, so that questions asked together are sent together, also on a busy machine. Answers take much longer. */
const waitForMoreQuestions = (system: System): Promise<void> => new Promise((resolve) => void system.setTimer(gatherMs, resolve));
const gatherMs = 50;

function resume({ tool, exchange, suspended }: Conversation, context: AttemptContext): InteractiveRequest | undefined {
  const { handle } = exchange;
  if (handle === undefined || exchange.tool !== tool.name) return undefined;
  exchange.handle = undefined;
  const waiting = suspended.take(handle, exchange.request.client.principal);
  if (waiting === undefined || waiting.tool !== tool.name)
    throw rpcError(rpcCodes.invalidParams, 'The requestState is unknown or has expired: send the call again without it');
  const { request } = waiting;
  request.exchange = exchange;
  request.context = context;
  request.answer(exchange.answers ?? {});
  return request;
}

function start({ tool, server, exchange }: Conversation, args: unknown, context: AttemptContext): InteractiveRequest {
  const interactive = new InteractiveRequest(exchange, context);
  interactive.start(() => send({ tool, server, args, context, exchange, signal: interactive.signal, interactive }));
  return interactive;
}
