/**
 * Owns converting the result of a call to the result for the client.
 *
 * Invariants
 * 1. A server's result is unchanged, including unknown fields; additions are in `_meta`.
 * 2. A failure is a result with `isError`, except for protocol errors that the client has to handle.
 * 3. Errors are redacted and have no stack.
 */
import type { FailedResult, Redactor, SuccessfulResult, ToolHealth, ToolResult } from '@holdfast/core';
import { isJsonObject, isRpcError, type JsonObject, rpcError } from '@holdfast/mcp-wire/server';
import type { CatalogEntry } from '../catalog/entry.ts';
import { wholeOf } from './exchange.ts';
import { callKey, errorKey, failureMeta, failureText } from './failure-meta.ts';
import type { OutputCheck } from './output-check.ts';
import { redactedValue, redactResult } from './redact-result.ts';
import { isRelayed, rawResultOf } from './tool-error.ts';

export interface FormOptions {
  readonly redact: Redactor;
  readonly redactsSuccesses: boolean;
  /** Health of the tool that served the call. */
  readonly healthOf: (tool: string) => Pick<ToolHealth, 'circuit' | 'heldMs'> | undefined;
  /** Check against the output schema of the called tool. */
  readonly check: (entry: CatalogEntry) => OutputCheck | undefined;
  /** Whether a tool belongs to a server. */
  readonly isFromServer: (tool: string) => boolean;
}

/**
 * `raw` is the last result of a server, unchanged, or cut to size if it is an error.
 * @throws RpcError for what the client gets as a protocol error
 */
export function formResult(result: ToolResult, entry: CatalogEntry, raw: JsonObject | undefined, options: FormOptions): JsonObject {
  if (result.status === 'success') return formSuccess(result, entry, raw, options);
  return isFallback(result) ? formFallback(result, entry, options) : formFailure(result, entry, raw, options);
}

/** The result of a server that the client gets as the error. */
export function failedResultOf(result: ToolResult): JsonObject | undefined {
  return result.status === 'success' || isFallback(result) ? undefined : rawResultOf(result.error.cause);
}

const isFallback = (result: FailedResult): boolean => result.fallbackUsed === true && 'output' in result;

function formSuccess(result: SuccessfulResult, entry: CatalogEntry, raw: JsonObject | undefined, options: FormOptions): JsonObject {
  // The engine truncates very deep values: the original is still available.
  const isCut = result.altered !== undefined && raw !== undefined && options.isFromServer(result.servedBy);
  const answer = wholeOf(isCut ? raw : result.output) ?? (isCut ? raw : formOutput(result.output));
  const shown = options.redactsSuccesses ? redactResult(answer, options.redact) : answer;
  if (result.servedBy === entry.name && result.partial !== true) return shown;
  return fitToSchema(
    withMeta(shown, callKey, callMeta(result)),
    entry,
    options,
    `${result.servedBy} has answered instead of ${entry.name}`,
  );
}

function callMeta({ servedBy, attempts, fallbackUsed, partial }: SuccessfulResult): JsonObject {
  return { servedBy, attempts, ...(fallbackUsed === true ? { fallbackUsed } : {}), ...(partial === true ? { partial } : {}) };
}

/** Clients reject a result that does not match the schema of the called tool, unless it is an error. */
function fitToSchema(answer: JsonObject, entry: CatalogEntry, { check }: FormOptions, why: string): JsonObject {
  const checked = check(entry);
  if (checked === undefined || answer['isError'] === true) return answer;
  const { structuredContent, ...rest } = answer;
  if (structuredContent !== undefined && checked(structuredContent) === undefined) return answer;
  const note = { type: 'text', text: `${why}; its output does not match the schema.` };
  return {
    ...rest,
    isError: true,
    content: [note, ...(Array.isArray(answer['content']) ? (answer['content'] as readonly unknown[]) : [])],
  };
}

/** Converts the output of a tool that does not belong to a server. */
function formOutput(output: unknown): JsonObject {
  if (typeof output === 'string') return { content: [{ type: 'text', text: output }] };
  const text = output === undefined ? '' : JSON.stringify(output);
  return { content: [{ type: 'text', text }], ...(isJsonObject(output) ? { structuredContent: output } : {}) };
}

/** A fallback value is a result with a note that marks it. */
function formFallback(result: FailedResult, entry: CatalogEntry, options: FormOptions): JsonObject {
  const answer = formOutput(result.output);
  const note = { type: 'text', text: `This is a fallback value, not the output of the tool. ${options.redact(result.error.message)}` };
  const whole = { ...answer, content: [...(answer['content'] as readonly unknown[]), note] };
  return fitToSchema(withMeta(whole, errorKey, metaOf(result, options)), entry, options, 'This is a fallback value');
}

function formFailure(result: FailedResult, entry: CatalogEntry, given: JsonObject | undefined, options: FormOptions): JsonObject {
  const { cause } = result.error;
  const { redact } = options;
  if (isRpcError(cause) && isRelayed(cause.code) && result.servedBy === entry.name)
    throw rpcError(cause.code, redact(cause.message), redactedValue(cause.data, redact));
  const raw = given?.['isError'] === true ? given : failedResultOf(result);
  const failed =
    raw === undefined ? { content: [{ type: 'text', text: redact(failureText(result.error)) }], isError: true } : redactResult(raw, redact);
  return withMeta(failed, errorKey, metaOf(result, options));
}

function metaOf(result: FailedResult, { healthOf, redact }: FormOptions): JsonObject {
  const health = healthOf(result.servedBy);
  return redactedValue(failureMeta(result, { circuit: health?.circuit, heldMs: health?.heldMs }), redact) as JsonObject;
}

function withMeta(answer: JsonObject, key: string, value: JsonObject): JsonObject {
  const meta = answer['_meta'];
  return { ...answer, _meta: { ...(isJsonObject(meta) ? meta : {}), [key]: value } };
}
