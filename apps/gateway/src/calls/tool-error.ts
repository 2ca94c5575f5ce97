/**
 * Owns failures of servers' tools as the engine gets them.
 *
 * Invariants
 * 1. An error that a tool told carries the result as it came; what the text says is what it is classified by.
 * 2. What a server has answered, and nothing known speaks for a passing failure, is its answer: it is not asked again.
 * 3. Where nobody says what a tool does, every failure that leaves open whether it ran is ambiguous.
 */
import { classify } from '@holdfast/core';
import { describeError } from '@holdfast/core/internal';
import { isJsonObject, isRpcError, type JsonObject, rpcCodes } from '@holdfast/mcp-wire/server';

const rawResult: unique symbol = Symbol('raw result');

/** The result with `isError` that an error was made of. */
export function rawResultOf(error: unknown): JsonObject | undefined {
  return typeof error === 'object' && error !== null ? (error as { readonly [rawResult]?: JsonObject })[rawResult] : undefined;
}

/** Texts longer than this say nothing more about what failed. */
const textLimit = 4096;

export function toolError(result: JsonObject): Error {
  const text = textOf(result);
  const mcpCode = /^MCP error (-?\d+)/.exec(text)?.[1];
  const { content, structuredContent } = result;
  const error = Object.assign(new Error(text === '' ? 'The tool failed without saying why' : text), {
    code: 'MCP_TOOL_ERROR',
    [rawResult]: result,
    ...(mcpCode === undefined ? {} : { mcpCode: Number(mcpCode) }),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    content,
  });
  error.name = 'RunnerError';
  return error;
}

function textOf({ content }: JsonObject): string {
  if (!Array.isArray(content)) return '';
  const texts = (content as readonly unknown[]).flatMap((part) =>
    isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return texts.join('\n').slice(0, textLimit);
}

/** Errors of the protocol that are the client's business: they go to it as they came. */
export function isRelayed(code: number): boolean {
  return (
    (code <= rpcCodes.invalidRequest && code >= rpcCodes.invalidParams) ||
    (code <= rpcCodes.headerMismatch && code >= rpcCodes.unsupportedProtocolVersion) ||
    code === rpcCodes.resourceNotFound ||
    code === urlElicitationRequired
  );
}

/** Of 2025-11-25: the client is to open an address first. */
const urlElicitationRequired = -32_042;

/** The error as the engine is to see it. */
export function judged(error: unknown, isGuessed: boolean): unknown {
  if (typeof error !== 'object' || error === null) return error;
  if (isAnswer(error) && saysNothing(error)) return withMark(error, { retryable: false });
  return isGuessed && !provesNothingRan(error) ? withMark(error, { ambiguous: true }) : error;
}

const isAnswer = (error: object): boolean => isRpcError(error) || rawResultOf(error) !== undefined;

function saysNothing(error: object): boolean {
  const { classification, category } = classify(error, { nowEpochMs: 0 });
  return classification === 'transient' && category === 'unknown';
}

function withMark(error: object, mark: Readonly<Record<string, boolean>>): object {
  return Object.isExtensible(error)
    ? Object.assign(error, mark)
    : Object.assign(new Error(describeError(error).message, { cause: error }), mark);
}

const neverSent: ReadonlySet<unknown> = new Set([
  'MCP_SERVER_DOWN',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'RUNNER_CLOSED',
  'SECRET_MISSING',
]);

/** The request did not reach the server, or was turned away by it. */
function provesNothingRan(error: object): boolean {
  const { code, status, cause } = error as { readonly code?: unknown; readonly status?: unknown; readonly cause?: unknown };
  if (neverSent.has(code) || status === 429) return true;
  return typeof cause === 'object' && cause !== null && neverSent.has((cause as { readonly code?: unknown }).code);
}
