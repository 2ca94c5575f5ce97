/**
 * Owns the rounds of questions of a call: reading the answers of a modern client, and asking a legacy client.
 */
import type { System } from '@holdfast/core';
import {
  type ClientRequest,
  isJsonObject,
  isRpcError,
  type JsonObject,
  rpcCodes,
  rpcError,
  type RpcError,
} from '@holdfast/mcp-wire/server';
import { canAnswer } from '../relay/client-capabilities.ts';
import type { InputAnswer } from '../relay/questions.ts';
import type { Exchange } from './exchange.ts';
import { decodeState, type InputState } from './input-state.ts';

/** The answers with which a call continues. */
export interface Round extends Pick<Exchange, 'answers' | 'input' | 'handle'> {
  /** The tool that asked. */
  readonly tool: string;
}

/** Returns the round in a request of the modern era; `undefined` for a new call. */
export function roundOf({ params, client }: ClientRequest, called: string): Round | undefined {
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

/** Sends all questions to a legacy client at the same time. A refusal is passed to a server that waits for the answer; otherwise it ends the call. */
export async function askRound(request: ClientRequest, state: InputState, inputRequests: unknown, options: AskOptions): Promise<Round> {
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

async function askOne(request: ClientRequest, question: unknown, { limitMs, system }: AskOptions): Promise<InputAnswer> {
  const method: unknown = isJsonObject(question) ? question['method'] : undefined;
  if (!isJsonObject(question) || typeof method !== 'string')
    return { refusal: rpcError(rpcCodes.invalidRequest, 'The server sent an invalid question') };
  const params = isJsonObject(question['params']) ? question['params'] : {};
  if (!canAnswer(request.client, method, params))
    return { refusal: rpcError(rpcCodes.methodNotFound, `The client cannot answer ${method}`) };
  const aborter = new AbortController();
  const cancel = (): void => aborter.abort(request.signal.reason);
  const timer = system.setTimer(limitMs, () => aborter.abort(timeoutError(method)), true);
  request.signal.addEventListener('abort', cancel, { once: true });
  try {
    const aborted = new Promise<never>((_resolve, reject) => {
      aborter.signal.addEventListener('abort', () => reject(aborter.signal.reason as Error), { once: true });
    });
    return { result: await Promise.race([request.ask(method, params, aborter.signal), aborted]) };
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    return { refusal: isRpcError(error) ? error : rpcError(rpcCodes.internalError, `The client did not answer ${method}`) };
  } finally {
    system.clearTimer(timer);
    request.signal.removeEventListener('abort', cancel);
  }
}

function timeoutError(method: string): RpcError {
  return rpcError(rpcCodes.internalError, `The client did not answer ${method} in time`);
}

const refusedMark: unique symbol = Symbol('refused input');

export interface RefusedInput extends Error {
  readonly [refusedMark]: RpcError;
}

function refusedInput(refusal: RpcError): RefusedInput {
  return Object.assign(new Error(`The client did not provide what the server asked for: ${refusal.message}`), { [refusedMark]: refusal });
}

export const isRefusedInput = (error: unknown): error is RefusedInput =>
  typeof error === 'object' && error !== null && refusedMark in error;
