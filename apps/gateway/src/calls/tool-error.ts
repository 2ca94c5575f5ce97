/**
 * Owns converting failures of servers' tools to errors for the engine.
 *
 * Invariants
 * 1. The error of a failed tool carries the unchanged result; it is classified by the text of the result.
 * 2. A failure that a server has answered is not retried, unless its text is known to be transient.
 * 3. Without a declared effect, every failure after which the tool may have run is ambiguous.
 */
import { classify } from '@holdfast/core';
import { describeError } from '@holdfast/core/internal';
import { isJsonObject, isRpcError, type JsonObject, rpcCodes } from '@holdfast/mcp-wire/server';
import { sizeWithin } from './wire-size.ts';

const rawResult: unique symbol = Symbol('raw result');

/** Returns the result with `isError` that an error was created from. */
export function rawResultOf(error: unknown): JsonObject | undefined {
  return typeof error === 'object' && error !== null ? (error as { readonly [rawResult]?: JsonObject })[rawResult] : undefined;
}

/** Maximum length of the message of an error. */
const textLimit = 4096;
/** A larger structured result is not searched for the reason of the failure. */
const readBytes = 65_536;

export function toolError(result: JsonObject): Error {
  const text = textOf(result);
  const mcpCode = /^MCP error (-?\d+)/.exec(text)?.[1];
  const { content, structuredContent } = result;
  const error = Object.assign(new Error(text === '' ? 'The tool failed without an error message' : text), {
    code: 'MCP_TOOL_ERROR',
    [rawResult]: result,
    ...(mcpCode === undefined ? {} : { mcpCode: Number(mcpCode) }),
    ...(structuredContent === undefined || sizeWithin(structuredContent, readBytes) > readBytes ? {} : { structuredContent }),
    content,
  });
  error.name = 'RunnerError';
  return error;
}

function textOf({ content }: JsonObject): string {
  if (!Array.isArray(content)) return '';
  let text = '';
  for (const part of content as readonly unknown[]) {
    if (text.length > textLimit) break;
    if (isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string')
      text += text === '' ? part['text'] : `\n${part['text']}`;
  }
  return text.slice(0, textLimit);
}

/** Whether a protocol error is for the client: it is passed on unchanged. */
export function isRelayed(code: number): boolean {
  return (
    (code <= rpcCodes.invalidRequest && code >= rpcCodes.invalidParams) ||
    (code <= rpcCodes.headerMismatch && code >= rpcCodes.unsupportedProtocolVersion) ||
    code === rpcCodes.resourceNotFound ||
    code === urlElicitationRequired
  );
}

/** Error of revision 2025-11-25: the client has to open a URL first. */
export const urlElicitationRequired = -32_042;

/** Returns the error for the engine, with marks that it evaluates. */
export function withEngineMarks(error: unknown, isGuessed: boolean): unknown {
  if (typeof error !== 'object' || error === null) return error;
  if (isAnswer(error) && isUnclassified(error)) return withMark(error, { retryable: false });
  return isGuessed && !provesNothingRan(error) ? withMark(error, { ambiguous: true }) : error;
}

const isAnswer = (error: object): boolean => isRpcError(error) || rawResultOf(error) !== undefined;

function isUnclassified(error: object): boolean {
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
  'LOGIN_REQUIRED',
  'SCOPE_REFUSED',
  'AUTHORIZATION_FAILED',
  'AUTHORIZATION_SERVER_DOWN',
]);

/** Whether the request did not reach the server, or was rejected by it. */
function provesNothingRan(error: object): boolean {
  const { code, status, cause } = error as { readonly code?: unknown; readonly status?: unknown; readonly cause?: unknown };
  if (neverSent.has(code) || status === 429) return true;
  return typeof cause === 'object' && cause !== null && neverSent.has((cause as { readonly code?: unknown }).code);
}
