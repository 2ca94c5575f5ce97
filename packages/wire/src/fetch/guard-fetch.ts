/**
 * Owns `guardFetch`: a fetch that repairs what is sent to a model and checks what comes back. For every SDK that takes a fetch.
 * Does not own the rules: `repair`, `faults`, `responses`, `arguments` and `stream` do.
 *
 * Invariants
 * 1. It adds no failure: what it cannot read continues unchanged, and only what the inner fetch throws is thrown.
 * 2. A request or answer that is valid goes on as the same object.
 * 3. A request is sent again once at most, and only after a refusal that a repair answers.
 * 4. Streams are passed on as they come.
 */
import type { Effect } from '@holdfast/core';
import type { RequestFault } from '../faults/fault-of.ts';
import { isRecord, type JsonObject, tryParse } from '../json.ts';
import type { Change, RuleViolation } from '../report.ts';
import { assembleStream, type StreamFormat } from '../stream/assemble-stream.ts';
import { type AnswerContext, checkAnswer, problemsOf, restoreName } from './check-answer.ts';
import { watchEvents } from './watch-events.ts';
import { type FetchInput, type ModelRequest, profileOfUrl, readModelRequest, withBody } from './model-request.ts';
import { editAt, eventPaths, isCall } from './call-paths.ts';
import { readRefusal, repairRefused } from './repair-refused.ts';
import { repairModelRequest } from './repair-request.ts';

/** A fetch, as SDKs take one. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What was changed or found, at one point of an exchange. */
export interface FetchReport {
  /** `request`: before it was sent. `refusal`: the provider refused it. `answer`: what came back. */
  readonly stage: 'request' | 'refusal' | 'answer';
  /** Format of the request. */
  readonly format: StreamFormat;
  /** Address of the request. */
  readonly url: string;
  /** What a repair changed. Empty if nothing was. */
  readonly changes: readonly Change[];
  /** What is wrong and was not repaired. Empty if nothing is. */
  readonly problems: readonly RuleViolation[];
  /** What the provider said was wrong; with `refusal`. */
  readonly fault?: RequestFault | undefined;
  /** The repaired request was sent once more; with `refusal`. */
  readonly sentAgain?: boolean | undefined;
}

/** What a guarded fetch repairs and checks, and by which rules. */
export interface GuardFetchOptions {
  /** The form of requests whose address does not tell it. @default by the address */
  readonly format?: StreamFormat | undefined;
  /** Whose rules apply, such as `deepseek` or `vllm`. @default by the host, else the provider that the format comes from */
  readonly profile?: string | undefined;
  /** What a call of the tool can do. Guesses at broken arguments are made for `read` and `idempotent` alone. @default none is made */
  readonly effectOf?: ((toolName: string) => Effect | undefined) | undefined;
  /** Requests are repaired, before they are sent and after a refusal. @default true */
  readonly repair?: boolean | undefined;
  /** Answers are checked and their arguments repaired. Names that were changed lead back in any case. @default true */
  readonly validate?: boolean | undefined;
  /** Hears of each change and each problem. What it throws is swallowed. */
  readonly onReport?: ((report: FetchReport) => void) | undefined;
}

/** A request on its way, and the names that lead back from it. */
interface Sent {
  readonly outgoing: ModelRequest;
  readonly input: FetchInput;
  readonly init: RequestInit | undefined;
  readonly toOriginal: (name: string) => string;
  readonly hasNames: boolean;
}

/** Makes a fetch that repairs transcripts before they are sent, sends once more after a refusal that can be repaired, and checks answers. */
export function guardFetch(fetch: Fetch, options: GuardFetchOptions = {}): Fetch {
  if (typeof fetch !== 'function')
    throw new TypeError(`guardFetch: 'fetch' is ${typeof fetch}; give it the fetch to guard, such as globalThis.fetch`);
  return async (input, init) => {
    const sent = await prepare(input, init, options);
    if (!sent) return fetch(input, init);
    const response = await fetch(sent.input, sent.init);
    const again = await secondTry(response, sent, options);
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

/** The request to send once more, or `undefined`. */
async function secondTry(response: Response, sent: Sent, options: GuardFetchOptions): Promise<Sent | undefined> {
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
    // Nobody reads the refusal any more.
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
  const scene: AnswerContext = {
    outgoing: sent.outgoing,
    toOriginal: sent.toOriginal,
    effectOf: (toolName) => options.effectOf?.(toolName),
    namesOnly: options.validate === false,
  };
  if (/^text\/event-stream/i.test(type)) return checkStream(response, response.body, sent, scene, options);
  // A list of chunks that comes in slowly is not waited for.
  const slow = /:streamGenerateContent/.test(sent.outgoing.url);
  return /\bjson\b/i.test(type) && !slow ? checkBody(response, scene, options) : response;
}

async function checkBody(response: Response, scene: AnswerContext, options: GuardFetchOptions): Promise<Response> {
  const { format, url } = scene.outgoing;
  let text: string | undefined;
  try {
    const copy = response.clone();
    text = await copy.text();
    const given = tryParse(text)?.value;
    if (!isRecord(given)) return response;
    const { body, changes, problems } = checkAnswer(given, scene);
    report(options, { stage: 'answer', format, url, changes, problems });
    if (body === given) return response;
    response.body?.cancel().catch(() => undefined);
    return withResponseBody(response, JSON.stringify(body));
  } catch {
    // What went wrong in reading goes wrong for the caller too, in its own time.
    return response;
  }
}

function checkStream(
  response: Response,
  body: ReadableStream<Uint8Array>,
  sent: Sent,
  scene: AnswerContext,
  options: GuardFetchOptions,
): Response {
  const { format, url } = scene.outgoing;
  const assembly = assembleStream(format);
  const changes: Change[] = [];
  const edit = (data: unknown): unknown =>
    editAt(data, eventPaths[format], (call: JsonObject, path) => (isCall(format, call) ? restoreName(call, path, scene, changes) : call));
  const watched = watchEvents({
    onEvent: assembly.push,
    onEnd: () => {
      report(options, { stage: 'answer', format, url, changes, problems: scene.namesOnly ? [] : problemsOf(assembly.finish()) });
    },
    edit: sent.hasNames ? edit : undefined,
  });
  return withResponseBody(response, body.pipeThrough(watched as unknown as ReadableWritablePair<Uint8Array, Uint8Array>));
}

/** The response with another body; everything else as it was. */
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

function report({ onReport }: GuardFetchOptions, report: FetchReport): void {
  if (!onReport || (report.changes.length === 0 && report.problems.length === 0 && !report.fault)) return;
  try {
    const told: unknown = onReport(report);
    if (typeof told === 'object' && told !== null && 'then' in told) Promise.resolve(told).catch(() => undefined);
  } catch {
    // Who listens cannot stop a request.
  }
}
