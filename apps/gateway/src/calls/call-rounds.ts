/**
 * Owns running the tool of a call, and again after each round of questions that a server asks.
 *
 * Invariants
 * 1. Every call of the service has its own id; its exchange exists as long as the call.
 * 2. A client of the modern era receives a server's questions unchanged; a client of the legacy era is asked directly, and the call continues.
 */
import { randomBytes } from 'node:crypto';
import type { System, ToolExecutionService, ToolResult } from '@holdfast/core';
import type { GatewayEntry } from '@holdfast/manifest';
import { type ClientRequest, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { accessOf } from '../access/access.ts';
import type { ClientCircuits } from '../access/client-circuits.ts';
import { onBehalfOf } from '../access/on-behalf.ts';
import { concealAlternatives } from '../access/conceal-alternatives.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { Announce } from '../operation/announcement.ts';
import { announcement } from './announce-call.ts';
import { concealResult } from './conceal-result.ts';
import { type Exchange, wholeOf } from './exchange.ts';
import type { Finish } from './finish-result.ts';
import { LoginNeeded, loginNeededBy } from './login-needed.ts';
import { askRound, type Round, roundOf } from './input-rounds.ts';
import { encodeState, type InputState } from './input-state.ts';
import type { ProgressRelay } from './progress.ts';
import { type KnownTools, unknownCall } from './read-call.ts';
import type { ToolRuns } from './tool-runs.ts';

export interface CallRoundsOptions {
  readonly service: Pick<ToolExecutionService, 'executeTool' | 'getToolSettings'>;
  readonly catalog: KnownTools;
  readonly runs: Pick<ToolRuns, 'exchanges' | 'suspended'>;
  readonly settings: () => Pick<GatewayEntry, 'inputTimeoutMs'>;
  readonly announce: Announce | undefined;
  readonly system: System;
  readonly finish: Finish;
  /** @default every tool has one circuit */
  readonly circuits?: Pick<ClientCircuits, 'of'> | undefined;
}

/** A server that asks more often is refused. */
const roundsLimit = 50;

export class CallRounds {
  readonly #options: CallRoundsOptions;
  readonly #nextId = callIds();

  constructor(options: CallRoundsOptions) {
    this.#options = options;
  }

  async converse(request: ClientRequest, entry: CatalogEntry, args: JsonObject, progress: ProgressRelay | undefined): Promise<JsonObject> {
    const { catalog, runs, finish, circuits } = this.#options;
    let round = roundOf(request, entry.name);
    const access = accessOf(request.client);
    const { allows, owner } = access;
    if (round !== undefined && (!allows(round.tool) || catalog.get(round.tool) === undefined))
      throw unknownCall(round.tool, catalog, allows);
    for (let rounds = 0; ; rounds++) {
      const exchange = this.#exchangeOf(entry, request, progress, round);
      const result = await this.#run(exchange, entry, args);
      const question = !request.signal.aborted && result.status === 'success' && isQuestion(result.output) ? result.output : undefined;
      for (const handle of exchange.left) if (handle !== question?.['requestState']) runs.suspended.drop(handle, abandonError());
      if (request.signal.aborted) throw request.signal.reason;
      if (question === undefined) {
        const finished = await finish(result, entry, exchange.raw, owner, circuits?.of(onBehalfOf(request.client)));
        const conceal = concealAlternatives(entry.name, access, this.#options.service);
        const shown = conceal === undefined ? finished : concealResult(finished, conceal);
        const login = round === undefined ? loginNeededBy(result) : undefined;
        if (login !== undefined) throw new LoginNeeded(login, shown);
        return shown;
      }
      const state = stateOf(result.servedBy, question, exchange);
      if (request.client.era === 'modern') return inputRequired(question, encodeState(state, entry.name));
      round = await this.#ask(request, state, question['inputRequests'], rounds);
    }
  }

  #exchangeOf(entry: CatalogEntry, request: ClientRequest, progress: ProgressRelay | undefined, round: Round | undefined): Exchange {
    return {
      callId: this.#nextId(),
      request,
      tool: round?.tool ?? entry.name,
      progress,
      answers: round?.answers,
      input: round?.input,
      handle: round?.handle,
      left: [],
      missing: undefined,
      raw: undefined,
    };
  }

  async #run(exchange: Exchange, entry: CatalogEntry, args: JsonObject): Promise<ToolResult> {
    const { service, runs, announce } = this.#options;
    const { callId, tool, request } = exchange;
    runs.exchanges.set(callId, exchange);
    announce?.(announcement(callId, entry, args, request));
    try {
      return await service.executeTool({ callId, toolName: tool, arguments: args }, { signal: request.signal });
    } finally {
      runs.exchanges.delete(callId);
    }
  }

  async #ask(request: ClientRequest, state: InputState, inputRequests: unknown, rounds: number): Promise<Round> {
    const { settings, system, runs } = this.#options;
    try {
      if (rounds === roundsLimit)
        throw rpcError(rpcCodes.internalError, `${state.tool} has asked ${roundsLimit} times, which is the limit`);
      return await askRound(request, state, inputRequests, { limitMs: settings().inputTimeoutMs, system });
    } catch (error) {
      if (state.handle !== undefined) runs.suspended.drop(state.handle, abandonError());
      throw error;
    }
  }
}

/** Only for a server's tool: other tools may return anything. */
const isQuestion = (output: unknown): output is JsonObject => wholeOf(output)?.['resultType'] === 'input_required';

const abandonError = (): Error => Object.assign(new Error('The client no longer waits for the answer'), { name: 'AbortError' });

function stateOf(tool: string, { requestState }: JsonObject, { left }: Exchange): InputState {
  if (typeof requestState !== 'string') return { tool };
  return left.includes(requestState) ? { tool, handle: requestState } : { tool, state: requestState };
}

function inputRequired(output: JsonObject, requestState: string | undefined): JsonObject {
  return output['requestState'] === requestState ? output : { ...output, requestState };
}

/** Ids of calls, unique across processes. */
function callIds(): () => string {
  const process = randomBytes(6).toString('base64url');
  let last = 0;
  return () => `${process}-${++last}`;
}
