/**
 * Owns what messages say: the codes and statuses they quote, then their words. Does not own the phrases (`phrases.ts`).
 */
import type { Layer } from './evidence.ts';
import type { Finding } from './finding.ts';
import { statusEntry } from './http-statuses.ts';
import { jsonRpcCodes } from './numbered-codes.ts';
import { lowered, phraseIn } from './phrases.ts';
import type { Phrase } from './phrases.ts';
import { replyWords, serviceCodes } from './service-codes.ts';
import { codeEntry, listedCode } from './symbols.ts';
import * as is from './verdict.ts';
import type { Entry, Weight } from './verdict.ts';

/** A number before its own reason phrase is a status; `Order 429 not found` names none. */
const reasons: readonly (readonly [status: string, reason: string])[] = [
  ['400', 'bad request'],
  ['401', 'unauthori[sz]ed'],
  ['402', 'payment'],
  ['403', 'forbidden'],
  ['404', 'not found'],
  ['405', 'method not'],
  ['406', 'not acceptable'],
  ['408', 'request time-?out'],
  ['409', 'conflict'],
  ['410', 'gone'],
  ['412', 'precondition'],
  ['413', '(?:payload|content|request)'],
  ['414', '(?:request-)?uri'],
  ['415', 'unsupported'],
  ['422', 'unprocessable'],
  ['423', 'locked'],
  ['425', 'too early'],
  ['429', 'too many'],
  ['500', 'internal'],
  ['501', 'not implemented'],
  ['502', 'bad gateway'],
  ['503', 'service'],
  ['504', 'gateway'],
  ['[45]\\d\\d', '(?:client|server) error'],
];
const reasoned = reasons.map(([status, reason]) => `${status}[ :,)-]{1,3}\\(?['"]?${reason}`).join('|');

/** Where messages name a status, most certain first. */
const statusForms: readonly RegExp[] = [
  /\b(?:status(?:[ _-]?code)?|http(?:\/[\d.]{1,3})?(?:[ _-](?:error|code|status(?: code)?|response))?|response(?: code| status)?|error code|server response)['"]?[ :=!([-]{1,4}(?:of |was |is |code |status )?[ :=]{0,3}([1-5]\d\d)\b/i,
  new RegExp(`\\b(?=${reasoned})([45]\\d\\d)`, 'i'),
  /\(([45]\d\d)\)/,
  /^(?:\w{0,24}error:? |\[)?([45]\d\d)(?:$|[\]:,]|\s[^a-z]|\s+\w+ error)/i,
  /\b(?:code|error|failed with|responded with|returned|answered|got|received) (?:a |an )?(?:error:? |code:? )?([45]\d\d)(?:$|[.,:;!)]| error| response| from)/i,
];

/** The status a message names, such as `Service unavailable (503)`. */
export function statusInText(text: string): number | undefined {
  if (!/\d/.test(text)) return undefined;
  for (const form of statusForms) {
    const status = form.exec(text)?.[1];
    if (status !== undefined && Number(status) >= 400) return Number(status);
  }
  return undefined;
}

const quotedCode = /\b(?:E[A-Z0-9]{3,20}|[A-Z][A-Z0-9]{1,20}(?:_[A-Z0-9]{1,20}){1,6}|(?:ORA|NJS)-\d{3,5})\b/g;
const quotedRpcCode = /MCP error (-\d{5})\b/g;
const quotedSqlState = /SQLSTATE[ :[=]{1,2}([0-9A-Z]{5})\b/;
const quotedReply = /^(?:\w{0,24}Error: |-)?([A-Z]{3,12})\b/;
const quotedRpcStatus = /(?:\bStatusCode\.|\bcode = |^(?:Error: )?\d{1,2} |^\[)([A-Za-z]{2,20}(?:_[A-Za-z]{2,20}){0,2})\b/;
const quotedCertificate = /self[- ]signed|certificate|\bx509: /i;

/** A kind of thing that messages quote: how it is found, and what it means. */
interface QuoteForm {
  readonly kind: string;
  readonly find: (text: string) => readonly (string | undefined)[];
  readonly entryOf: (quoted: string) => Entry | undefined;
}

const quoteForms: readonly QuoteForm[] = [
  {
    kind: 'mcp:',
    find: (text) => [[...text.matchAll(quotedRpcCode)].at(-1)?.[1]], // the last was wrapped by the others
    entryOf: (code) => jsonRpcCodes.get(code),
  },
  { kind: 'text:status ', find: (text) => [statusInText(text)?.toString()], entryOf: (status) => statusEntry(Number(status)) },
  { kind: 'text:', find: (text) => [...new Set(text.match(quotedCode))].slice(0, 8), entryOf: listedCode },
  { kind: 'text:SQLSTATE ', find: (text) => [quotedSqlState.exec(text)?.[1]], entryOf: codeEntry },
  {
    kind: 'text:',
    find: (text) => [quotedReply.exec(text)?.[1]],
    entryOf: (word) => (replyWords.has(word) ? serviceCodes.get(word) : undefined),
  },
  { kind: 'text:', find: (text) => [quotedRpcStatus.exec(text)?.[1]], entryOf: rpcEntry },
  { kind: 'text:', find: (text) => [quotedCertificate.exec(text)?.[0]], entryOf: () => ({ verdict: is.untrusted, weight: 'system' }) },
];

/** `DeadlineExceeded`, `deadline_exceeded` and `DEADLINE_EXCEEDED` are one. */
function rpcEntry(status: string): Entry | undefined {
  const entry = serviceCodes.get(status.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase());
  return entry && { verdict: entry.verdict, weight: 'rpc' };
}

/** Codes and statuses that the messages of a layer quote. */
export function quotedFindings(layer: Layer): readonly Finding[] {
  return layer.texts.flatMap((text) =>
    quoteForms.flatMap((form) => form.find(text).flatMap((quoted) => quotedFinding(quoted, form, layer.depth))),
  );
}

const strongWeights: ReadonlySet<Weight> = new Set<Weight>(['answer', 'status', 'system']);

function quotedFinding(quoted: string | undefined, { kind, entryOf }: QuoteForm, depth: number): readonly Finding[] {
  const entry = quoted === undefined ? undefined : entryOf(quoted);
  if (quoted === undefined || entry === undefined) return [];
  const { verdict, weight } = entry;
  const found = kind === 'text:status ' ? { status: Number(quoted) } : { code: quoted };
  return [{ verdict, weight: strongWeights.has(weight) ? 'text_code' : weight, depth, rule: kind + quoted, ...found }];
}

/** The first phrase of each message of a layer. */
export function phrasesOf(layer: Layer): readonly Phrase[] {
  return layer.texts.map((text) => phraseIn(lowered(withoutPrefix(text)))).filter((phrase) => phrase !== undefined);
}

export function phraseFindings(layer: Layer): readonly Finding[] {
  return phrasesOf(layer).map(({ label, verdict }) => ({ verdict, weight: 'text', depth: layer.depth, rule: `text:${label}` }));
}

const withoutPrefix = (text: string): string => text.replace(/^(?:(?:Error|Uncaught|MCP error -\d{5}):? ){1,3}/, '');
