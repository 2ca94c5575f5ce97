/**
 * Owns making the answer to a client of what a call ended in.
 *
 * Invariants
 * 1. A server's result stays as it came, fields that are not known here included; what is added is in `_meta`.
 * 2. A failure is a result with `isError`, but for the errors of the protocol that are the client's business.
 * 3. Errors are redacted, and have no stack.
 */
import type { FailedResult, Redactor, SuccessfulResult, ToolResult } from '@holdfast/core';
import { isJsonObject, isRpcError, type JsonObject, rpcError } from '@holdfast/mcp-wire/server';
import type { CatalogEntry } from '../catalog/entry.ts';
import { isRaw } from './exchange.ts';
import { callKey, errorKey, failureMeta, failureText } from './failure-meta.ts';
import type { OutputCheck } from './output-check.ts';
import { redactedValue, redactResult } from './redact-result.ts';
import { isRelayed, rawResultOf } from './tool-error.ts';

export interface FormOptions {
  readonly redact: Redactor;
  readonly redactsSuccesses: boolean;
  /** Of the tool that served the call. */
  readonly circuitOf: (tool: string) => string | undefined;
  /** Of the called tool's output schema. */
  readonly check: (entry: CatalogEntry) => OutputCheck | undefined;
  /** Whether a tool is a server's. */
  readonly isServers: (tool: string) => boolean;
}

/**
 * `raw` is the last answer of a server, as it came.
 * @throws RpcError what the client is to get as an error of the protocol.
 */
export function formResult(result: ToolResult, entry: CatalogEntry, raw: JsonObject | undefined, options: FormOptions): JsonObject {
  if (result.status === 'success') return formSuccess(result, entry, raw, options);
  return result.fallbackUsed === true && 'output' in result ? formFallback(result, entry, options) : formFailure(result, entry, options);
}

function formSuccess(result: SuccessfulResult, entry: CatalogEntry, raw: JsonObject | undefined, options: FormOptions): JsonObject {
  // Very large and very deep values are cut by the engine: what came is there still.
  const own = result.altered !== undefined && raw !== undefined && options.isServers(result.servedBy) ? raw : result.output;
  const answer = isRaw(own) ? own : formOutput(own);
  const shown = options.redactsSuccesses ? redactResult(answer, options.redact) : answer;
  if (result.servedBy === entry.name && result.partial !== true) return shown;
  return fitToSchema(
    withMeta(shown, callKey, callMeta(result)),
    entry,
    options,
    `${result.servedBy} has answered in place of ${entry.name}`,
  );
}

function callMeta({ servedBy, attempts, fallbackUsed, partial }: SuccessfulResult): JsonObject {
  return { servedBy, attempts, ...(fallbackUsed === true ? { fallbackUsed } : {}), ...(partial === true ? { partial } : {}) };
}

/** Clients refuse an answer that breaks the schema of the tool they called, unless it is an error. */
function fitToSchema(answer: JsonObject, entry: CatalogEntry, { check }: FormOptions, why: string): JsonObject {
  const checked = check(entry);
  if (checked === undefined || answer['isError'] === true) return answer;
  const { structuredContent, ...rest } = answer;
  if (structuredContent !== undefined && checked(structuredContent) === undefined) return answer;
  const note = { type: 'text', text: `${why}; the answer has another form.` };
  return {
    ...rest,
    isError: true,
    content: [note, ...(Array.isArray(answer['content']) ? (answer['content'] as readonly unknown[]) : [])],
  };
}

/** The output of a tool that is no server's. */
function formOutput(output: unknown): JsonObject {
  if (typeof output === 'string') return { content: [{ type: 'text', text: output }] };
  const text = output === undefined ? '' : JSON.stringify(output);
  return { content: [{ type: 'text', text }], ...(isJsonObject(output) ? { structuredContent: output } : {}) };
}

/** A value that stands in is an answer, and says what it is. */
function formFallback(result: FailedResult, entry: CatalogEntry, options: FormOptions): JsonObject {
  const answer = formOutput(result.output);
  const note = { type: 'text', text: `This is a stand-in, not the tool's answer. ${options.redact(result.error.message)}` };
  const whole = { ...answer, content: [...(answer['content'] as readonly unknown[]), note] };
  return fitToSchema(withMeta(whole, errorKey, metaOf(result, options)), entry, options, 'A stand-in is given');
}

function formFailure(result: FailedResult, entry: CatalogEntry, options: FormOptions): JsonObject {
  const { cause } = result.error;
  const { redact } = options;
  if (isRpcError(cause) && isRelayed(cause.code) && result.servedBy === entry.name)
    throw rpcError(cause.code, redact(cause.message), redactedValue(cause.data, redact));
  const raw = rawResultOf(cause);
  const told =
    raw === undefined ? { content: [{ type: 'text', text: redact(failureText(result.error)) }], isError: true } : redactResult(raw, redact);
  return withMeta(told, errorKey, metaOf(result, options));
}

function metaOf(result: FailedResult, { circuitOf, redact }: FormOptions): JsonObject {
  return redactedValue(failureMeta(result, { circuit: circuitOf(result.servedBy) }), redact) as JsonObject;
}

function withMeta(answer: JsonObject, key: string, value: JsonObject): JsonObject {
  const meta = answer['_meta'];
  return { ...answer, _meta: { ...(isJsonObject(meta) ? meta : {}), [key]: value } };
}
