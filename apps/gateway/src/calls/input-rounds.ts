/**
 * Owns the rounds of questions of a call: reading what a client brings, and asking a legacy client what it cannot be sent.
 */
import type { System } from '@holdfast/core';
import { type FaceRequest, isJsonObject, isRpcError, type JsonObject, rpcCodes, rpcError, type RpcError } from '@holdfast/mcp-wire/server';
import type { Exchange, InputAnswer } from './exchange.ts';
import { decodeState, type InputState } from './input-state.ts';

/** What a call continues with. */
export interface Round extends Pick<Exchange, 'answers' | 'input' | 'handle'> {
  /** The tool that asked. */
  readonly tool: string;
}

/** The round that a client of the modern era brings; `undefined` for a new call. */
export function roundOf({ params, client }: FaceRequest, called: string): Round | undefined {
  const { inputResponses, requestState } = params;
  if ((inputResponses === undefined && requestState === undefined) || client.era === 'legacy') return undefined;
  if (requestState !== undefined && typeof requestState !== 'string')
    throw rpcError(rpcCodes.invalidParams, "'requestState' must be a string");
  const state = requestState === undefined ? { tool: called } : decodeState(requestState, called);
  const answers = isJsonObject(inputResponses)
    ? Object.fromEntries(
        Object.entries(inputResponses).flatMap(([key, result]) => (isJsonObject(result) ? [[key, { result }] as const] : [])),
      )
    : {};
  return { ...nextRound(state, answers, inputResponses), tool: state.tool };
}

function nextRound(state: InputState, answers: Readonly<Record<string, InputAnswer>>, inputResponses: unknown): Omit<Round, 'tool'> {
  if (state.handle !== undefined) return { answers, handle: state.handle, input: undefined };
  const input = {
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(state.state === undefined ? {} : { requestState: state.state }),
  };
  return { answers: undefined, handle: undefined, input };
}

export interface AskOptions {
  readonly limitMs: number;
  readonly system: System;
}

/** Asks a legacy client everything at the same time. A refusal is told to a server that waits; to another it ends the call. */
export async function askRound(request: FaceRequest, state: InputState, inputRequests: unknown, options: AskOptions): Promise<Round> {
  const questions = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
  const answered = await Promise.all(questions.map(async ([key, question]) => [key, await askOne(request, question, options)] as const));
  const answers = Object.fromEntries(answered);
  const results: [string, JsonObject][] = [];
  for (const [key, answer] of answered) {
    if ('result' in answer) results.push([key, answer.result]);
    else if (state.handle === undefined) throw refusedInput(answer.refusal);
  }
  return { ...nextRound(state, answers, questions.length === 0 ? undefined : Object.fromEntries(results)), tool: state.tool };
}

async function askOne(request: FaceRequest, question: unknown, { limitMs, system }: AskOptions): Promise<InputAnswer> {
  const method: unknown = isJsonObject(question) ? question['method'] : undefined;
  if (!isJsonObject(question) || typeof method !== 'string')
    return { refusal: rpcError(rpcCodes.invalidRequest, 'The server asked something that is no question') };
  const late = new AbortController();
  const cancel = (): void => late.abort(request.signal.reason);
  const timer = system.setTimer(limitMs, () => late.abort(lateError(method)), true);
  request.signal.addEventListener('abort', cancel, { once: true });
  try {
    const aborted = new Promise<never>((_resolve, reject) => {
      late.signal.addEventListener('abort', () => reject(late.signal.reason as Error), { once: true });
    });
    const params = isJsonObject(question['params']) ? question['params'] : {};
    return { result: await Promise.race([request.ask(method, params, late.signal), aborted]) };
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    return { refusal: isRpcError(error) ? error : rpcError(rpcCodes.internalError, `The client has not answered ${method}`) };
  } finally {
    system.clearTimer(timer);
    request.signal.removeEventListener('abort', cancel);
  }
}

function lateError(method: string): RpcError {
  return rpcError(rpcCodes.internalError, `The client has not answered ${method} in time`);
}

const refusedMark: unique symbol = Symbol('refused input');

export interface RefusedInput extends Error {
  readonly [refusedMark]: RpcError;
}

function refusedInput(refusal: RpcError): RefusedInput {
  return Object.assign(new Error(`The client has not given what the server asked for: ${refusal.message}`), { [refusedMark]: refusal });
}

export const isRefusedInput = (error: unknown): error is RefusedInput =>
  typeof error === 'object' && error !== null && refusedMark in error;
