/**
 * Owns the evidence in messages: the codes and statuses they quote, then their phrases. Does not own the phrases (`phrases.ts`).
 */
import { weighEntry } from './code-findings.ts';
import type { Layer } from './evidence.ts';
import type { Findings } from './finding.ts';
import { inWords } from './openings.ts';
import { phraseIn } from './phrases.ts';
import { replyWords } from './service-codes.ts';
import { codeEntry, listedCode, numberedEntry } from './symbols.ts';
import * as is from './verdict.ts';
import type { Entry } from './verdict.ts';

/** Where messages contain a status: `status code 503`, `(503)`, and after weaker words where it is alone: `error 503.` */
const statusForms =
  /(?:\b(?:status(?:[ _-]?code)?|http(?:\/[\d.]{1,3}|[ _-](?:error|code|status(?: code)?|response))?|response(?: code)?|error code)['"]?[ :=!([-]{1,4}(?:of |was |is |code |status )?[ :=]{0,3}|\()([45]\d\d)\b|\b(?:code|error|with|returned|answered|got|received) (?:a |an )?(?:error:? |code:? )?([45]\d\d)(?:$|[.,:;!)]| error| response| from)/i;
/** At the start of a string, or before its reason: `503 Service Unavailable`. */
const openingStatus = /(?:^|[Ee]rror:? |\[|: )([45]\d\d)(?:$|[\]:,]| [A-Z(])/;

/** The status in a message, such as `Service unavailable (503)`. */
export function statusInText(text: string): number | undefined {
  if (!/[45]\d\d/.test(text)) return undefined;
  const [, first, second] = statusForms.exec(text) ?? openingStatus.exec(text) ?? [];
  const status = first ?? second;
  return status === undefined ? undefined : Number(status);
}

const quotedRpcCode = /.*MCP error (-\d{5})\b/s; // the last one is the innermost
const quotedCode = /\b[A-Z][A-Z\d]{2,20}(?:[_-][A-Z\d]{1,20}){0,6}\b/g;
const quotedSqlState = /SQLSTATE[ :[=]{1,2}([\dA-Z]{5})\b/;
const quotedRpcStatus = /(?:\bStatusCode\.|\bcode = |^(?:Error: )?\d{1,2} |^\[)([a-z]{2,20}(?:_[a-z]{2,20}){0,2})\b/i;
const quotedCertificate = /self[- ]signed|certificate|\bx509: /i;
const untrusted: Entry = { verdict: is.untrusted, weight: is.textCode };

/** Weighs the codes and statuses that the messages of a layer quote. */
export function weighQuotes(layer: Layer, findings: Findings): void {
  for (const text of layer.texts) {
    const rpcCode = text.includes('MCP error -') ? quotedRpcCode.exec(text)?.[1] : undefined;
    if (rpcCode !== undefined) weighQuoted(numberedEntry('mcp', Number(rpcCode)), `mcp:${rpcCode}`, rpcCode, text, layer, findings);
    const status = statusInText(text);
    if (status !== undefined) weighStatus(status, text, layer, findings);
    weighWords(text, layer, findings);
    const rpcStatus = quotedRpcStatus.exec(text)?.[1];
    if (rpcStatus !== undefined) weighQuoted(rpcEntry(rpcStatus), `text:${rpcStatus}`, rpcStatus, text, layer, findings);
    if (quotedCertificate.test(text)) weighEntry(untrusted, 'text:certificate', layer, findings);
  }
}

/** Words in capitals: codes, and words that begin a reply of Redis and similar servers. */
function weighWords(text: string, layer: Layer, findings: Findings): void {
  quotedCode.lastIndex = 0;
  for (let count = 0; count < codesLimit; count += 1) {
    const [word] = quotedCode.exec(text) ?? [];
    if (word === undefined) return;
    if (word === 'SQLSTATE') {
      const state = quotedSqlState.exec(text)?.[1] ?? '';
      weighQuoted(codeEntry(state), `text:SQLSTATE ${state}`, state, text, layer, findings);
    } else if (/^E.{3}|[_-]/.test(word)) weighQuoted(listedCode(word), `text:${word}`, word, text, layer, findings);
    else if (replyWords.test(word) && openingWord.exec(text)?.[1] === word)
      weighQuoted(listedCode(word), `text:${word}`, word, text, layer, findings);
  }
}

const codesLimit = 8;
const openingWord = /^(?:\w{0,24}Error: |-)?([A-Z]+)\b/;

/** Maps `DeadlineExceeded`, `deadline_exceeded` and `DEADLINE_EXCEEDED` to the same code. */
function rpcEntry(status: string): Entry | undefined {
  const entry = listedCode(status.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase());
  return entry && { verdict: entry.verdict, weight: is.rpc };
}

function weighQuoted(entry: Entry | undefined, rule: string, code: string, text: string, layer: Layer, findings: Findings): void {
  if (entry) weighEntry({ verdict: inWords(entry.verdict, text), weight: quotedWeight(entry) }, rule, layer, findings, code);
}

const mentionsHttp = /\bhttp|\bstatus/i;

/** Where nothing indicates HTTP, a status that is in no table may be the reply of a mail or file server. */
function weighStatus(status: number, text: string, layer: Layer, findings: Findings): void {
  const entry = mentionsHttp.test(text) ? numberedEntry('status', status) : listedCode(`status:${String(status)}`);
  if (entry)
    weighEntry(
      { verdict: inWords(entry.verdict, text), weight: quotedWeight(entry) },
      `text:status ${String(status)}`,
      layer,
      findings,
      undefined,
      status,
    );
}

const quotedWeight = ({ weight }: Entry): number => (weight <= is.system ? is.textCode : weight);

/** Weighs the phrases in a layer's messages. */
export function weighPhrases(layer: Layer, findings: Findings): void {
  for (const text of layer.texts) {
    const phrase = phraseIn(text);
    if (phrase) weighEntry({ verdict: inWords(phrase.verdict, text), weight: is.text }, `text:${phrase.label}`, layer, findings);
  }
}
