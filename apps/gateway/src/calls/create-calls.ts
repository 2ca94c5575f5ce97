/**
 * Owns one `tools/call` from what a client sent to what it gets.
 *
 * Invariants
 * 1. Every call of the service has an id of its own; its exchange lives as long as it.
 * 2. A client of the modern era gets a server's questions as they are; one of the legacy era is asked, and the call goes on.
 * 3. A client has its answer by the call's deadline: a question of a server by the limit of answers.
 */
import {
  createRedactor,
  createSystem,
  type RedactorOptions,
  type System,
  type ToolExecutionService,
  type ToolResult,
} from '@holdfast/core';
import type { GatewayEntry } from '@holdfast/manifest';
import { type FaceRequest, isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { Announce } from '../operation/announcement.ts';
import { announcement } from './announce-call.ts';
import { callIds } from './call-ids.ts';
import type { Calls } from './calls.ts';
import { capResult } from './cap-result.ts';
import type { Exchange } from './exchange.ts';
import { arriving, type KnownTools, readCall, unknownTool } from './find-tool.ts';
import { type FormOptions, formResult } from './form-result.ts';
import { askRound, isRefusedInput, type Round, roundOf } from './input-rounds.ts';
import { encodeState, type InputState } from './input-state.ts';
import { type OutputCheck, outputCheck } from './output-check.ts';
import { ProgressRelay } from './progress.ts';
import { readSpilled } from './read-spilled.ts';
import { refusal } from './refusal.ts';
import { sizeWithin } from './size.ts';
import { spillStore } from './spill-store.ts';
import type { ToolRuns } from './tool-runs.ts';

export interface CallsOptions {
  /** Runs the tools of the catalog. */
  readonly service: Pick<ToolExecutionService, 'executeTool' | 'getToolHealth'>;
  readonly catalog: KnownTools;
  /** Shared with the catalog, which makes the runners. */
  readonly runs: ToolRuns;
  /** Read at each use. */
  readonly settings: () => Pick<GatewayEntry, 'results' | 'heartbeatMs' | 'inputTimeoutMs'>;
  /** What is secret besides what is recognised as such. */
  readonly redact?: RedactorOptions | undefined;
  /** Whether secrets are taken out of successful answers too. @default false */
  readonly redactsSuccesses?: boolean;
  readonly announce?: Announce | undefined;
  /** Where large results are kept. @default a new folder among the temporary files */
  readonly resultsFolder?: string | undefined;
  readonly system?: System;
}

/** A server that asks more often is not worth a user's patience. */
const roundsLimit = 50;

export function createCalls(options: CallsOptions): Calls {
  const { service, catalog, runs, settings, announce, redactsSuccesses = false, system = createSystem() } = options;
  const { exchanges, suspended } = runs;
  const redact = createRedactor({ ...options.redact, maxChars: Infinity });
  const store = spillStore({ settings: () => settings().results, folder: options.resultsFolder, system });
  const nextId = callIds();
  const checks = new WeakMap<CatalogEntry, OutputCheck>();

  const checkOf = (entry: CatalogEntry): OutputCheck | undefined => {
    const schema = entry.definition['outputSchema'];
    if (!isJsonObject(schema)) return undefined;
    let check = checks.get(entry);
    if (check === undefined) checks.set(entry, (check = outputCheck(schema)));
    return check;
  };

  const forming: FormOptions = {
    redact,
    redactsSuccesses,
    circuitOf: (tool) => service.getToolHealth(tool)?.circuit,
    check: checkOf,
    isServers: (tool) => catalog.get(tool)?.source.kind === 'mcp',
  };

  const run = async (
    entry: CatalogEntry,
    args: JsonObject,
    request: FaceRequest,
    round: Round | undefined,
  ): Promise<{ readonly result: ToolResult; readonly exchange: Exchange }> => {
    const exchange = open(entry, request, round);
    announce?.(announcement(exchange.callId, entry, args, request));
    try {
      const call = { callId: exchange.callId, toolName: exchange.tool, arguments: args };
      return { result: await service.executeTool(call, { signal: request.signal }), exchange };
    } finally {
      exchanges.delete(exchange.callId);
      exchange.progress?.close();
    }
  };

  const open = (entry: CatalogEntry, request: FaceRequest, round: Round | undefined): Exchange => {
    const exchange: Exchange = {
      callId: nextId(),
      request,
      tool: round?.tool ?? entry.name,
      progress: request.wantsProgress ? new ProgressRelay({ request, system, heartbeatMs: settings().heartbeatMs }) : undefined,
      answers: round?.answers,
      input: round?.input,
      handle: round?.handle,
      leftWaiting: undefined,
      raw: undefined,
    };
    exchanges.set(exchange.callId, exchange);
    return exchange;
  };

  const finish = (result: ToolResult, entry: CatalogEntry, raw: JsonObject | undefined): JsonObject | Promise<JsonObject> => {
    const formed = formResult(result, entry, raw, forming);
    const { maxBytes, keepMs } = settings().results;
    const size = sizeWithin(formed, maxBytes);
    if (size <= maxBytes) return formed;
    if (size === Infinity)
      return refusal('INVALID_RESPONSE', 'contract', 'permanent', `The answer of ${entry.name} is nested too deeply to be passed on.`);
    return capResult(formed, { maxBytes, keepMs, store, check: formed['isError'] === true ? undefined : checkOf(entry) });
  };

  const call = async (request: FaceRequest): Promise<JsonObject> => {
    const { name, args } = readCall(request.params);
    const entry = catalog.get(name) ?? (await arriving(name, catalog));
    let round = roundOf(request, entry.name);
    if (round !== undefined && catalog.get(round.tool) === undefined) throw unknownTool(round.tool, catalog);
    for (let rounds = 0; ; rounds++) {
      const { result, exchange } = await run(entry, args, request, round);
      if (request.signal.aborted) {
        throw dropping(exchange.leftWaiting, request.signal.reason as Error);
      }
      const { output } = result;
      if (!isQuestion(output) || result.status !== 'success') return finish(result, entry, exchange.raw);
      const state = stateOf(result.servedBy, output, exchange);
      if (request.client.era === 'modern') return asked(output, encodeState(state, entry.name));
      if (rounds === roundsLimit)
        throw dropping(state.handle, rpcError(rpcCodes.internalError, `${entry.name} has asked ${roundsLimit} times`));
      round = await ask(request, state, output['inputRequests']);
    }
  };

  /** What waits for an answer that does not come is let go. */
  const dropping = (handle: string | undefined, reason: Error): Error => {
    if (handle !== undefined) suspended.drop(handle, reason);
    return reason;
  };

  const ask = async (request: FaceRequest, state: InputState, inputRequests: unknown): Promise<Round> => {
    try {
      return await askRound(request, state, inputRequests, { limitMs: settings().inputTimeoutMs, system });
    } catch (error) {
      throw dropping(state.handle, error as Error);
    }
  };

  return {
    async handle(request) {
      try {
        return await call(request);
      } catch (error) {
        if (isRefusedInput(error)) return refusal('INPUT_REFUSED', 'cancelled', 'neutral', redact(error.message));
        throw error;
      }
    },
    readSpilled: (uri) => readSpilled(store, uri, redact),
    status: () => ({ running: exchanges.size, suspended: suspended.size, spilledBytes: store.bytes }),
    async close() {
      suspended.close();
      await store.close();
    },
  };
}

const isQuestion = (output: unknown): output is JsonObject => isJsonObject(output) && output['resultType'] === 'input_required';

function stateOf(tool: string, { requestState }: JsonObject, { leftWaiting }: Exchange): InputState {
  if (leftWaiting !== undefined && requestState === leftWaiting) return { tool, handle: leftWaiting };
  return typeof requestState === 'string' ? { tool, state: requestState } : { tool };
}

function asked(output: JsonObject, requestState: string | undefined): JsonObject {
  return output['requestState'] === requestState ? output : { ...output, requestState };
}
