/**
 * Owns the statuses whose meaning depends on more than their number. Does not own statuses or phrases.
 */
import { withMembers } from './layer.ts';
import type { Layer } from './layer.ts';
import type { Finding } from './finding.ts';
import { hasHeaders, headersOf } from './headers.ts';
import { retryHint } from './hint.ts';
import { phraseIn } from './phrases.ts';
import type { Phrase } from './phrases.ts';
import { listedCode, numberedEntry } from './symbols.ts';
import * as is from './verdict.ts';
import type { Entry, Verdict } from './verdict.ts';

/** What the text of a response can reveal about its status. */
const corrections: Readonly<Record<number, readonly Verdict[]>> = {
  400: [is.rateLimit, is.quota, is.quotaReached, is.lostSession, is.tooLarge, is.auth],
  403: [is.rateLimit, is.quota, is.quotaReached, is.auth],
  404: [is.lostSession],
  409: [is.contention, is.rateLimit],
  413: [is.rateLimit],
  429: [is.quota],
};

/** What it can reveal about a status of no table, whose first digit says no more than who is at fault. */
const unlisted: readonly Verdict[] = [is.timeout, is.rateLimit, is.quota];

/** What a client's own word may add to a status. These four say no more than that the request was refused. */
const openStatuses: readonly number[] = [400, 409, 412, 422];

/** Whether a word that a client chose itself agrees with the status that the server sent. */
export function mayRefine(status: number, { verdict }: Entry): boolean {
  if (openStatuses.includes(status) || verdict.category === numberedEntry('status', status)?.verdict.category) return true;
  return verdict === is.rateLimit ? status >= 500 || status === 403 : (corrections[status]?.includes(verdict) ?? false);
}

const ofResult = /output (?:sch|val)/i;

const waits: readonly string[] = ['retry-after', 'retry-after-ms'];

/** The finding, corrected by message and headers. */
export function refine(finding: Finding, layers: readonly Layer[]): Finding {
  const { status, verdict } = finding;
  // gRPC says so of messages, too
  if (finding.weight === is.rpc && verdict === is.rateLimit) {
    const size = phraseAmong([is.tooLarge, is.answerTooLarge], layers);
    return size ? { ...finding, verdict: size.verdict, rule: `${finding.rule}+text:${size.label}` } : finding;
  }
  // MCP's clients and servers say so of a result, too: the tool has run.
  if (
    finding.rule.startsWith('mcp') &&
    verdict.category === 'invalid_input' &&
    withMembers(layers).some(({ texts }) => ofResult.test(texts.join()))
  )
    return { ...finding, verdict: is.contract };
  if (finding.weight === is.answer || status === undefined) return finding;
  const rule = `status:${String(status)}`;
  const code = codeInsteadOfAnswer(layers, finding);
  // A server may quote it, so it does not show that nothing was sent.
  if (code) {
    const words = code.verdict === is.cut ? phraseAmong([is.timeout], layers) : undefined;
    return { ...finding, verdict: { ...(words ?? code).verdict, ambiguous: true }, rule: `${rule}+text`, status: undefined };
  }
  // A client gives this status to a request that its own timer has ended, too: the server may have it.
  if (status === 408 && !hasHeaders(layers) && withMembers(layers).some(({ texts }) => /out after \d/.test(texts.join())))
    return { ...finding, verdict: is.timeout, rule: `${rule}+text:timeout` };
  const opinion = firstHeader(layers, 'x-should-retry');
  if (opinion === 'true' || opinion === 'false') {
    const classification = opinion === 'true' ? 'transient' : 'permanent';
    return { ...finding, verdict: { ...verdict, classification }, rule: `${rule}+header:x-should-retry` };
  }
  const isLimited =
    status === 403 &&
    (firstHeader(layers, 'x-ratelimit-remaining') === '0' || waits.some((name) => firstHeader(layers, name) !== undefined));
  if (isLimited) return { ...finding, verdict: is.rateLimit, rule: `${rule}+header:rate limit` };
  const possible = corrections[status] ?? (listedCode(rule) ? [] : unlisted);
  if (possible.length === 0) return finding;
  const phrase = phraseAmong(possible, layers);
  if (!phrase || (status === 429 && retryHint(layers, 0, true) !== undefined)) return finding; // an error that asks for a wait is transient
  return {
    ...finding,
    verdict: { ...phrase.verdict, ambiguous: verdict.ambiguous || phrase.verdict === is.timeout },
    rule: `${rule}+text:${phrase.label}`,
  };
}

/** What ends the words of a client which gave a status to a request without an answer: `{ status: 400, message: 'read ECONNRESET' }`. */
const endOfCall = /(?:^|: )(?:(?:socket hang up|fetch failed)$|(?:[a-z]{4,11} )?(E[A-Z]{4,16})(?: \S{1,90})?$)/;

function codeInsteadOfAnswer(layers: readonly Layer[], { depth }: Finding): Entry | undefined {
  if (hasHeaders(layers)) return undefined;
  const texts = layers.filter((layer) => layer.depth === depth).flatMap((layer) => layer.texts);
  const codes = texts.flatMap((text) => endOfCall.exec(text)?.slice(1) ?? []).map((code) => listedCode(code ?? 'ECONNRESET'));
  return codes.find((entry) => entry?.verdict.classification === 'transient');
}

function phraseAmong(possible: readonly Verdict[], layers: readonly Layer[]): Phrase | undefined {
  for (const text of withMembers(layers).flatMap(({ texts }) => texts)) {
    const phrase = phraseIn(text, possible);
    if (phrase) return phrase;
  }
  return undefined;
}

function firstHeader(layers: readonly Layer[], name: string): string | undefined {
  return layers.map((layer) => headersOf(layer).get(name)).find((header) => header !== undefined);
}
