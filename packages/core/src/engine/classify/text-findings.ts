/**
 * Owns the evidence in messages: the codes and statuses they quote, then their phrases. Does not own the phrases (`phrases.ts`).
 */
import { weighEntry } from './code-findings.ts';
import type { Layer } from './layer.ts';
import type { Findings } from './finding.ts';
import { inWords, isLeading, isSentence } from './openings.ts';
import { phraseIn } from './phrases.ts';
import { isWhole } from './programs.ts';
import { replyWords } from './service-codes.ts';
import { codeEntry, listedCode, numberedEntry, plainName } from './symbols.ts';
import * as is from './verdict.ts';
import type { Entry, Verdict } from './verdict.ts';

/** Where messages contain a status: `status code 503`, `(503)`, and after weaker words where it is alone: `error 503.` */
const statusForms =
  /(?:\b(?:status(?:[ _-]?code)?|http(?:\/[\d.]{1,3}|[ _-](?:error|code|status(?: code)?|response))?|response(?: code)?|error code)['"]?[ :=!([-]{1,4}(?:of |was |is |code |status )?[ :='"]{0,3}|(?<=^|\b(?:error|fail\w*|unavailable|time-?out|limit\w*|exceeded|requests?|gateway|found|forbidden|unauthorized|denied|conflict|gone|response|server|status|http)\W{1,3})\()([45]\d\d)\b(?! ?(?:m?s|sec\w*|bytes|[kmg]i?b)\b)|\b(?:code|error|with|returned|answered|got|received|many):? (?:a |an )?(?:error:? |code:? )?([45]\d\d)(?:$|[.,:;!)]| error| response| from)/im;
/** At the start of a string, or before its reason: `503 Service Unavailable`. */
const openingStatus = /(?:^|[Ee]rror:? |\[|: )([45]\d\d)(?:$|[\]:,](?!\w)| [A-Z(])/;

function quotedStatus(text: string): { readonly status: number; readonly index: number } | undefined {
  if (!/[45]\d\d/.test(text)) return undefined;
  const found = statusForms.exec(text) ?? openingStatus.exec(text);
  const status = found?.[1] ?? found?.[2];
  return found === null || status === undefined ? undefined : { status: Number(status), index: found.index };
}

/** The status in a message, such as `Service unavailable (503)`. */
export const statusInText = (text: string): number | undefined => quotedStatus(text)?.status;

const quotedCode = /\b[A-Z][A-Z\d]{2,20}(?:[_-][A-Z\d]{1,20}){0,6}\b/g;
const quotedSqlState = /SQLSTATE[ :[=]{1,2}([\dA-Z]{5})\b/;
/** Codes in a certain form, and what each is looked up as. */
const quotedForms: readonly (readonly [form: RegExp, entryOf: (code: string) => Entry | undefined, kind?: 'mcp'])[] = [
  // the last one is the innermost
  [/^.*MCP error (-\d{5})\b/s, (code) => numberedEntry('mcp', Number(code)), 'mcp'],
  [/(?:\bStatusCode\.|\bcode = |^(?:Error: )?\d{1,2} |^\[)([a-z]{2,20}(?:_[a-z]{2,20}){0,2})\b/i, rpcEntry],
  // as `aws` and `kubectl` print the code of a service
  [/\berror (?:occurred|from server) \((\w{3,60})\)/i, codeEntry],
  // as MySQL prints the class of a constraint or a value
  [/\berror \d{4} \((2[23][\dA-Z]{3})\)/i, codeEntry],
];
const quotedCertificate = /self[- ]signed|(?<!load(?:ing)? )certificate|\bx509: /i;

/** Weighs the codes and statuses that the messages of a layer quote. */
export function weighQuotes(layer: Layer, findings: Findings): void {
  for (const text of layer.texts) {
    const quote = { text, layer, findings };
    for (const [form, entryOf, kind = 'text'] of quotedForms) {
      const found = form.exec(text);
      const code = found?.[1];
      if (found && code !== undefined) weighQuoted(entryOf(code), `${kind}:${code}`, code, found.index, quote);
    }
    const status = quotedStatus(text);
    if (status) weighStatus(status.status, status.index, quote);
    weighWords(quote);
    // A script may have done something before it met the certificate.
    if (authorOf(layer) !== 'script' && quotedCertificate.test(text)) weighEntry(untrusted, 'text:certificate', layer, findings);
  }
}

const untrusted: Entry = { verdict: is.untrusted, weight: is.textCode };

interface Quote {
  readonly text: string;
  readonly layer: Layer;
  readonly findings: Findings;
}

/** Words in capitals: codes, and words that begin a reply of Redis and similar servers. */
function weighWords(quote: Quote): void {
  const { text } = quote;
  quotedCode.lastIndex = 0;
  for (let count = 0; count < codesLimit; count += 1) {
    const found = quotedCode.exec(text);
    const word = found?.[0];
    if (found === null || word === undefined) return;
    if (word === 'SQLSTATE') {
      const state = quotedSqlState.exec(text)?.[1] ?? '';
      weighQuoted(codeEntry(state), `text:SQLSTATE ${state}`, state, found.index, quote);
    } else if (/^E.{3}|[_-]/.test(word) || (replyWords.test(word) && openingWord.exec(text)?.[1] === word))
      weighQuoted(listedCode(word), `text:${word}`, word, found.index, quote);
  }
}

const codesLimit = 8;
const openingWord = /^(?:\w{0,24}Error: |-)?([A-Z]+)\b/;

/** Maps `DeadlineExceeded`, `deadline_exceeded` and `DEADLINE_EXCEEDED` to the same code. */
function rpcEntry(status: string): Entry | undefined {
  const entry = listedCode(status.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase());
  return entry && { verdict: entry.verdict, weight: is.rpc };
}

/** `index`: where in the message. What stands behind other statements may be about something else. */
function weighQuoted(entry: Entry | undefined, rule: string, code: string | undefined, index: number, quote: Quote, status?: number): void {
  if (!entry) return;
  const { text, layer, findings } = quote;
  const author = authorOf(layer);
  const isEvident = author === 'program' || (author !== 'script' && isLeading(text, index));
  const verdict = author === 'program' ? entry.verdict : inWords(entry.verdict, text, isEvident, isRejection(entry.verdict, status));
  weighEntry({ verdict, weight: quotedWeight(entry), byWords: !isEvident }, rule, layer, findings, code, status);
}

const mentionsHttp = /\bhttp|\bstatus/i;

/** Where nothing indicates HTTP, a status that is in no table may be the reply of a mail or file server. */
function weighStatus(status: number, index: number, quote: Quote): void {
  const entry =
    mentionsHttp.test(quote.text) || quote.layer.program !== undefined
      ? numberedEntry('status', status)
      : listedCode(`status:${String(status)}`);
  weighQuoted(entry, `text:status ${String(status)}`, undefined, index, quote, status);
}

/** 421 to 429: a server that answers with one of them has not carried out the request, though it may do so later. */
const isRejection = ({ classification }: Verdict, status = 0): boolean => classification === 'permanent' || (status > 420 && status < 430);

const quotedWeight = ({ weight }: Entry): number => (weight <= is.system ? is.textCode : weight);

/** Who wrote the words of a layer: a program that does one thing (or Redis, whose clients hand on its reply), a client with a class or a code of its own, or anyone, such as a script. */
const redisScript = /@?user_script|running script/;

function authorOf({ program, isSigned, isProcess, codes, names, texts }: Layer): 'program' | 'client' | 'script' | 'anyone' {
  if (program !== undefined) return 'program';
  // What a script of Redis had written before it failed stays.
  if (names.includes('ReplyError')) return texts.some((text) => redisScript.test(text)) ? 'script' : 'program';
  if (isProcess) return isSigned ? 'client' : 'script';
  const isNamed =
    names.some((name) => !plainName.test(name)) || texts.some((text) => !plainName.test(kindInWords.exec(text)?.[1] ?? 'Error'));
  return isNamed || codes.some(({ field }) => field !== 'type') ? 'client' : 'anyone';
}

/** A message that begins with the kind of its error, as where the class was lost: `ValidationError: …`, `Catalog Error: …`. */
const kindInWords = /^(?!Uncaught|Un(?:handled|known|expected))((?:(?:of|[A-Z]\w{0,30}) ){0,4}[\w.]{0,60}(?:Error|[Ee]xception)): /;

/** A reply of a mail or file server. */
const serverReply = /^[45]\d\d[ -]\S/;

/**
 * A program that says no more than to try later may have been answered after the work was done. One that works here has no answer that could be invalid.
 */
function saidByProgram(verdict: Verdict, { program = '' }: Layer): Verdict {
  if (verdict === is.unavailable) return is.brokenServer;
  return verdict === is.contract && isWhole(program) ? is.invalidInput : verdict;
}

/** What programs in Go say last: the cause of all that they say before. */
const innermost = /(?: msg="|: dial ).*: (.+)/;

/** Weighs the phrases in a layer's messages. */
export function weighPhrases(layer: Layer, findings: Findings): void {
  for (const text of layer.texts) {
    const last = innermost.exec(text)?.[1];
    const phrase = (last === undefined ? undefined : phraseIn(last)) ?? phraseIn(text);
    if (!phrase) continue;
    const author = authorOf(layer);
    const isProgram = author === 'program';
    const isReply = serverReply.test(text);
    const own = isProgram ? saidByProgram(phrase.verdict, layer) : phrase.verdict;
    const said = isReply && own === is.diskFull ? is.full : own; // it took nothing in
    const verdict = isProgram ? said : inWords(said, text, author === 'client' || isReply);
    const byWords = !isProgram && !(author !== 'script' && isSentence(text));
    weighEntry({ verdict, weight: is.text, byWords }, `text:${phrase.label}`, layer, findings);
  }
}
