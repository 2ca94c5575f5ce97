/**
 * Owns `guardFetch`: a fetch that repairs requests to a model and checks its answers. Works with every SDK that accepts a custom fetch.
 * Does not own the rules: `repair`, `faults`, `responses`, `arguments` and `stream` do.
 *
 * Invariants
 * 1. It adds no failures: requests and answers it cannot read pass through unchanged, and it throws only what the inner fetch throws.
 * 2. A valid request or answer is passed on as the same object.
 * 3. A request is retried at most once, and only after a refusal that a repair addresses.
 * 4. Streams are passed on without buffering.
 */
import { checkOptions, type Fields } from '@holdfast/core/internal/plain';
import { profileRule } from '../profiles/profile-rule.ts';
import { recorderRule, type ValidationRecorder } from '../validation-recorder.ts';
import { formats } from '../transcript.ts';
import type { Effect } from '@holdfast/core';
import type { RequestFault } from '../faults/fault-of.ts';
import { isRecord, type JsonObject, parseJsonOrUndefined } from '../json.ts';
import type { Change, RuleViolation } from '../report.ts';
import { assembleStream, type StreamFormat } from '../stream/assemble-stream.ts';
import { type AnswerContext, checkAnswer, problemsOf, restoreName } from './check-answer.ts';
import { watchEvents } from './watch-events.ts';
import { type FetchInput, type ModelRequest, profileOfUrl, readModelRequest, withBody } from './model-request.ts';
import { editAt, eventPaths, isCall } from './call-paths.ts';
import { readRefusal, repairRefused } from './repair-refused.ts';
import { repairModelRequest } from './repair-request.ts';

/** A fetch function, as SDKs accept it. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What was changed or found at one stage of an exchange. */
export interface FetchReport {
  /** `request`: before it was sent. `refusal`: the provider refused it. `answer`: the model's answer. */
  readonly stage: 'request' | 'refusal' | 'answer';
  /** Format of the request. */
  readonly format: StreamFormat;
  /** Address of the request. */
  readonly url: string;
  /** Changes made by a repair. Empty if there were none. */
  readonly changes: readonly Change[];
  /** Problems that were not repaired. Empty if there are none. */
  readonly problems: readonly RuleViolation[];
  /** The error reported by the provider; with `refusal`. */
  readonly fault?: RequestFault | undefined;
  /** Whether the repaired request was sent again; with `refusal`. */
  readonly sentAgain?: boolean | undefined;
}

/** Options of a guarded fetch. */
export interface GuardFetchOptions {
  /** Format of requests whose URL does not identify it. @default derived from the URL */
  readonly format?: StreamFormat | undefined;
  /** Provider profile whose rules apply, such as `deepseek` or `vllm`. @default derived from the host, else the provider that defined the format */
  readonly profile?: string | undefined;
  /** The effect of a tool. Arguments in other notations than JSON are read only for `read` and `idempotent` tools. @default every tool counts as `unsafe` */
  readonly effectOf?: ((toolName: string) => Effect | undefined) | undefined;
  /** Repair requests, before they are sent and after a refusal. @default true */
  readonly repair?: boolean | undefined;
  /** Check answers and repair their arguments. Changed names are restored in any case. @default true */
  readonly validate?: boolean | undefined;
  /** Records failed validations, so that its metrics and alerts count them: a `ToolExecutionService`. @default they are only reported */
  readonly service?: ValidationRecorder | undefined;
  /** Called with changes and problems. Errors it throws are ignored. */
  readonly onReport?: ((report: FetchReport) => void) | undefined;
}

/** A request as sent, and the mapping back to the original names. */
interface Sent {
  readonly outgoing: ModelRequest;
  readonly input: FetchInput;
  readonly init: RequestInit | undefined;
  readonly toOriginal: (name: string) => string;
  readonly hasNames: boolean;
}

const guardFields: Fields = {
  format: formats.filter((format) => !format.startsWith('ai-sdk')),
  profile: profileRule,
  effectOf: 'function',
  repair: 'boolean',
  validate: 'boolean',
  service: recorderRule,
  onReport: 'function',
};

/** Wraps a fetch so that it repairs transcripts before sending them, retries once after a refusal that can be repaired, and checks answers. */
export function guardFetch(fetch: Fetch, options: GuardFetchOptions = {}): Fetch {
  if (typeof fetch !== 'function')
    throw new TypeError(`guardFetch: 'fetch' is ${typeof fetch}; pass the fetch to guard, such as globalThis.fetch`);
  checkOptions(guardFields, options, 'guardFetch');
  return async (input, init) => {
    const sent = await prepare(input, init, options);
    if (!sent) return fetch(input, init);
    const response = await fetch(sent.input, sent.init);
    const again = await prepareRetry(response, sent, options);
    if (!again) return checkResponse(response, sent, options);
    return checkResponse(await fetch(again.input, again.init), again, options);
  };
}

async function prepare(input: FetchInput, init: RequestInit | undefined, options: GuardFetchOptions): Promise<Sent | undefined> {
  try {
    const outgoing = await readModelRequest(input, init, options.format);
    if (!outgoing) return undefined;
    const { format, url, body, signed } = outgoing;
    if (options.repair === false) return { outgoing, input, init, toOriginal: sameName, hasNames: false };
    const { request, changes, problems, mapping } = repairModelRequest(outgoing, options.profile ?? profileOfUrl(url));
    const same = request === body || signed;
    report(options, { stage: 'request', format, url, changes: signed ? [] : changes, problems });
    if (same) return { outgoing, input, init, toOriginal: sameName, hasNames: false };
    const [nextInput, nextInit] = withBody(input, init, request);
    return { outgoing: { ...outgoing, body: request }, input: nextInput, init: nextInit, ...nameMapping(mapping.names) };
  } catch {
    return undefined;
  }
}

const sameName = (name: string): string => name;

const nameMapping = (names: ReadonlyMap<string, string>): Pick<Sent, 'toOriginal' | 'hasNames'> => ({
  toOriginal: (name) => names.get(name) ?? name,
  hasNames: names.size > 0,
});

/** The repaired request to retry, or `undefined`. */
async function prepareRetry(response: Response, sent: Sent, options: GuardFetchOptions): Promise<Sent | undefined> {
  if (options.repair === false) return undefined;
  const { outgoing, toOriginal } = sent;
  const { format, url } = outgoing;
  const fault = await readRefusal(response);
  if (!fault) return undefined;
  try {
    const repaired = outgoing.signed ? undefined : repairRefused(fault, outgoing);
    const { changes = [], problems = [] } = repaired ?? {};
    report(options, { stage: 'refusal', format, url, changes, problems, fault, sentAgain: repaired !== undefined });
    if (!repaired) return undefined;
    const [input, init] = withBody(sent.input, sent.init, repaired.request);
    const { toOriginal: first, hasNames } = nameMapping(repaired.mapping.names);
    // The body of the refusal is not needed any more.
    response.body?.cancel().catch(() => undefined);
    return {
      outgoing: { ...outgoing, body: repaired.request },
      input,
      init,
      toOriginal: (name) => toOriginal(first(name)),
      hasNames: hasNames || sent.hasNames,
    };
  } catch {
    return undefined;
  }
}

async function checkResponse(response: Response, sent: Sent, options: GuardFetchOptions): Promise<Response> {
  if (!response.ok || !response.body || (options.validate === false && !sent.hasNames)) return response;
  const type = response.headers.get('content-type') ?? '';
  const context: AnswerContext = {
    outgoing: sent.outgoing,
    toOriginal: sent.toOriginal,
    effectOf: (toolName) => options.effectOf?.(toolName),
    namesOnly: options.validate === false,
  };
  if (/^text\/event-stream/i.test(type)) return checkStream(response, response.body, sent, context, options);
  // A streamed list of chunks is passed on without buffering.
  const slow = /:streamGenerateContent/.test(sent.outgoing.url);
  return /\bjson\b/i.test(type) && !slow ? checkBody(response, context, options) : response;
}

async function checkBody(response: Response, context: AnswerContext, options: GuardFetchOptions): Promise<Response> {
  const { format, url } = context.outgoing;
  let text: string | undefined;
  try {
    const copy = response.clone();
    text = await copy.text();
    const given = parseJsonOrUndefined(text);
    if (!isRecord(given)) return response;
    const { body, changes, problems } = checkAnswer(given, context);
    report(options, { stage: 'answer', format, url, changes, problems });
    if (body === given) return response;
    response.body?.cancel().catch(() => undefined);
    return withResponseBody(response, JSON.stringify(body));
  } catch {
    // The caller gets the same error when it reads the response itself.
    return response;
  }
}

function checkStream(
  response: Response,
  body: ReadableStream<Uint8Array>,
  sent: Sent,
  context: AnswerContext,
  options: GuardFetchOptions,
): Response {
  const { format, url } = context.outgoing;
  const assembly = assembleStream(format);
  const changes: Change[] = [];
  const edit = (data: unknown): unknown =>
    editAt(data, eventPaths[format], (call: JsonObject, path) => (isCall(format, call) ? restoreName(call, path, context, changes) : call));
  const watched = watchEvents({
    onEvent: assembly.push,
    onEnd: () => {
      report(options, { stage: 'answer', format, url, changes, problems: context.namesOnly ? [] : problemsOf(assembly.finish()) });
    },
    edit: sent.hasNames ? edit : undefined,
  });
  return withResponseBody(response, body.pipeThrough(watched as unknown as ReadableWritablePair<Uint8Array, Uint8Array>));
}

/** Returns the response with another body and everything else unchanged. */
function withResponseBody(response: Response, body: string | ReadableStream<Uint8Array>): Response {
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  headers.delete('content-encoding');
  const { status, statusText, url, redirected, type } = response;
  const made = new Response(body, { status, statusText, headers });
  const fixed = { url, redirected, type };
  for (const [name, value] of Object.entries(fixed)) Object.defineProperty(made, name, { value });
  return made;
}

function report({ onReport, service }: GuardFetchOptions, report: FetchReport): void {
  if (service) recordFailure(service, report);
  if (!onReport || (report.changes.length === 0 && report.problems.length === 0 && !report.fault)) return;
  try {
    const result: unknown = onReport(report);
    if (typeof result === 'object' && result !== null && 'then' in result) Promise.resolve(result).catch(() => undefined);
  } catch {
    // A listener must not break a request.
  }
}

/** A refusal that no repair addresses is a failed validation as well: the provider's. */
function recordFailure(service: ValidationRecorder, { stage, format, problems, fault, sentAgain }: FetchReport): void {
  const refused = fault && sentAgain !== true ? [{ rule: fault.rule, path: '', message: fault.message }] : [];
  service.recordValidationFailure({ stage: stage === 'answer' ? 'response' : 'request', format, problems: [...refused, ...problems] });
}
