/**
 * Owns one `tools/call`, from request to result.
 *
 * Invariants
 * 1. Every call of the service has its own id; its exchange exists as long as the call.
 * 2. A client of the modern era gets a server's questions as its result; a client of the legacy era is asked, and the call continues.
 * 3. A client gets the result by the deadline of the call. A question to a client has a time limit, too.
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
import { type Exchange, isRaw } from './exchange.ts';
import { waitForTool, type KnownTools, readCall, unknownTool } from './find-tool.ts';
import { type FormOptions, formResult } from './form-result.ts';
import { askRound, isRefusedInput, type Round, roundOf } from './input-rounds.ts';
import { encodeState, type InputState } from './input-state.ts';
import { type OutputCheck, outputCheck } from './output-check.ts';
import { ProgressRelay } from './progress.ts';
import { readSpilled } from './read-spilled.ts';
import { refusal } from './refusal.ts';
import { sizeWithin } from './wire-size.ts';
import { spillStore } from './spill-store.ts';
import type { ToolRuns } from './tool-runs.ts';

export interface CallsOptions {
  /** Runs the tools of the catalog. */
  readonly service: Pick<ToolExecutionService, 'executeTool' | 'getToolHealth'>;
  readonly catalog: KnownTools;
  /** Shared with the catalog, which creates the runners. */
  readonly runs: ToolRuns;
  /** Read at each use. */
  readonly settings: () => Pick<GatewayEntry, 'results' | 'heartbeatMs' | 'inputTimeoutMs'>;
  /** Secrets in addition to those that are detected. */
  readonly redact?: RedactorOptions | undefined;
  /** Whether successful results are redacted too. @default false */
  readonly redactsSuccesses?: boolean;
  readonly announce?: Announce | undefined;
  /** Folder for large results. @default a new temporary folder */
  readonly resultsFolder?: string | undefined;
  readonly system?: System;
}

/** Maximum rounds of questions in one call. */
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

  const formOptions: FormOptions = {
    redact,
    redactsSuccesses,
    circuitOf: (tool) => service.getToolHealth(tool)?.circuit,
    check: checkOf,
    isFromServer: (tool) => catalog.get(tool)?.source.kind === 'mcp',
  };

  const run = async (exchange: Exchange, entry: CatalogEntry, args: JsonObject): Promise<ToolResult> => {
    const { callId, tool, request } = exchange;
    exchanges.set(callId, exchange);
    announce?.(announcement(callId, entry, args, request));
    try {
      return await service.executeTool({ callId, toolName: tool, arguments: args }, { signal: request.signal });
    } finally {
      exchanges.delete(callId);
    }
  };

  const exchangeOf = (
    entry: CatalogEntry,
    request: FaceRequest,
    progress: ProgressRelay | undefined,
    round: Round | undefined,
  ): Exchange => ({
    callId: nextId(),
    request,
    tool: round?.tool ?? entry.name,
    progress,
    answers: round?.answers,
    input: round?.input,
    handle: round?.handle,
    left: [],
    missing: undefined,
    raw: undefined,
  });

  const finish = (result: ToolResult, entry: CatalogEntry, raw: JsonObject | undefined): JsonObject | Promise<JsonObject> => {
    const formed = formResult(result, entry, raw, formOptions);
    const { maxBytes, keepMs } = settings().results;
    const size = sizeWithin(formed, maxBytes);
    if (size <= maxBytes) return formed;
    if (size === Infinity) return refusal('INVALID_RESPONSE', 'contract', 'permanent', `The result of ${entry.name} is nested too deeply.`);
    return capResult(formed, { maxBytes, keepMs, store, check: formed['isError'] === true ? undefined : checkOf(entry) });
  };

  /** Runs the tool, and runs it again after each round of questions to a legacy client. */
  const runRounds = async (
    request: FaceRequest,
    entry: CatalogEntry,
    args: JsonObject,
    progress: ProgressRelay | undefined,
  ): Promise<JsonObject> => {
    let round = roundOf(request, entry.name);
    if (round !== undefined && catalog.get(round.tool) === undefined) throw unknownTool(round.tool, catalog);
    for (let rounds = 0; ; rounds++) {
      const exchange = exchangeOf(entry, request, progress, round);
      const result = await run(exchange, entry, args);
      const question = !request.signal.aborted && result.status === 'success' && isQuestion(result.output) ? result.output : undefined;
      for (const handle of exchange.left) if (handle !== question?.['requestState']) suspended.drop(handle, abandonedError());
      if (request.signal.aborted) throw request.signal.reason;
      if (question === undefined) return finish(result, entry, exchange.raw);
      const state = stateOf(result.servedBy, question, exchange);
      if (request.client.era === 'modern') return inputRequired(question, encodeState(state, entry.name));
      round = await ask(request, state, question['inputRequests'], rounds);
    }
  };

  const call = async (request: FaceRequest): Promise<JsonObject> => {
    const { name, args } = readCall(request.params);
    const entry = catalog.get(name) ?? (await waitForTool(name, catalog));
    if (!request.wantsProgress) return runRounds(request, entry, args, undefined);
    const progress = new ProgressRelay({ request, system, heartbeatMs: settings().heartbeatMs });
    try {
      return await runRounds(request, entry, args, progress);
    } finally {
      progress.close();
    }
  };

  const ask = async (request: FaceRequest, state: InputState, inputRequests: unknown, rounds: number): Promise<Round> => {
    try {
      if (rounds === roundsLimit)
        throw rpcError(rpcCodes.internalError, `${state.tool} has asked ${roundsLimit} times, which is the limit`);
      return await askRound(request, state, inputRequests, { limitMs: settings().inputTimeoutMs, system });
    } catch (error) {
      if (state.handle !== undefined) suspended.drop(state.handle, abandonedError());
      throw error;
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

/** Only results of servers are questions: the output of another tool may look like one. */
const isQuestion = (output: unknown): output is JsonObject => isRaw(output) && output['resultType'] === 'input_required';

const abandonedError = (): Error => Object.assign(new Error('The call no longer waits for this answer'), { name: 'AbortError' });

function stateOf(tool: string, { requestState }: JsonObject, { left }: Exchange): InputState {
  if (typeof requestState !== 'string') return { tool };
  return left.includes(requestState) ? { tool, handle: requestState } : { tool, state: requestState };
}

function inputRequired(output: JsonObject, requestState: string | undefined): JsonObject {
  return output['requestState'] === requestState ? output : { ...output, requestState };
}
