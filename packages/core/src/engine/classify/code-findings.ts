/**
 * Owns the findings from the codes, statuses, names and flags of a layer. Does not own the tables, nor messages (`text-findings.ts`).
 */
import type { Code, Layer } from './layer.ts';
import { weigh } from './finding.ts';
import type { Findings } from './finding.ts';
import { isWhole } from './programs.ts';
import { mayRefine } from './refine.ts';
import { codeEntry, nameEntry, numberedEntry } from './symbols.ts';
import * as is from './verdict.ts';
import type { Entry } from './verdict.ts';

/** Weighs all structured evidence of a layer. */
export function weighStructure(layer: Layer, findings: Findings, layers: readonly Layer[]): void {
  // Those of the error itself, or the outermost of what it was caused by.
  const statuses = layers.find((each) => each.depth >= layer.depth && each.statuses.length > 0)?.statuses ?? [];
  if (!layer.isRow) for (const code of layer.codes) weighCode(code, layer, findings, statuses);
  for (const status of layer.statuses)
    weighEntry(numberedEntry('status', status), `status:${String(status)}`, layer, findings, undefined, status);
  for (const name of layer.names) {
    // A parser tells a place, not a number: this one is named after its product.
    if (name === 'ParseError' && layer.codes.some(({ value }) => Number(value) > 0)) continue;
    const entry = nameEntry(name, layer.isService === true);
    // What a WebSocket reports that could not connect is a TypeError without a word.
    const isEmpty = layer.texts.length === 0 && layers[0]?.names.includes('ErrorEvent') === true;
    if (entry && !isEmpty && (layer.isService || !contradictsStatus(entry, layer.statuses)))
      weighEntry(entry, `name:${name}`, layer, findings);
  }
  if (layer.hasIssues) weighEntry({ verdict: is.invalidValue, weight: is.name }, 'shape:issues', layer, findings);
}

/** Weighs a table's entry, if there is one. */
export function weighEntry(
  entry: Entry | undefined,
  rule: string,
  { depth }: Layer,
  findings: Findings,
  code?: string,
  status?: number,
): void {
  if (entry) weigh(findings, { verdict: entry.verdict, weight: entry.weight, depth, rule, code, status, byWords: entry.byWords === true });
}

function weighCode(code: Code, layer: Layer, findings: Findings, statuses: readonly number[]): void {
  const { field, value } = code;
  if (typeof value === 'string') {
    const entry = codeEntry(value);
    if (!entry || (code.isOwn && contradictsStatus(entry, statuses))) return;
    if (value === 'ABORTED' && layer.texts.some((text) => /^aborted$/i.test(text))) return; // what superagent calls an abort of the caller
    // A word in a response is the server's.
    const byWords = entry.byWords === true && code.isOwn === true;
    // Its client says so of a connection that broke as well.
    const isClients = code.isOwn === true && entry.byWords === false && layer.isService !== true && statuses.length === 0;
    const meant =
      isClients && entry.verdict === is.unavailable && /unavail|overload/i.test(value)
        ? { verdict: is.brokenServer, weight: is.general }
        : entry;
    return weighEntry({ ...meant, byWords }, `code:${value}`, layer, findings, value);
  }
  const kind = kindOf(field, value, layer);
  // Beside a status, a code of three digits is the service's own number.
  if (kind === 'status' && layer.statuses.length > 0 && !layer.statuses.includes(value)) return;
  const number = kind === 'sqlite' ? value & 0xff : value;
  if (kind === 'exit') return weighExit(value, layer, findings);
  const status = kind === 'status' ? value : undefined;
  weighEntry(numberedEntry(kind, number), `${kind}:${String(value)}`, layer, findings, String(value), status);
}

function weighExit(value: number, layer: Layer, findings: Findings): void {
  const { program, isSigned } = layer;
  const code = String(value);
  const own = program === undefined ? undefined : numberedEntry(`exit ${program}`, value);
  if (own) weighEntry(own, `${program}:${code}`, layer, findings, code);
  const entry = numberedEntry('exit', value) ?? (program === undefined && !isSigned ? undefined : endedWithError);
  if (!entry) return;
  // A script may have done something before the step whose code it passes on.
  const isOpen =
    entry === endedWithError ? program === undefined || !isWhole(program) || layer.texts.length === 0 : program === undefined && !isSigned;
  const verdict = isOpen ? { ...entry.verdict, ambiguous: true } : entry.verdict;
  weighEntry({ ...entry, verdict }, `exit:${code}`, layer, findings, code);
}

/** A program ended by itself, without a word about anything that passes. */
const endedWithError: Entry = { verdict: is.invalidInput, weight: is.fallback };

/** A number that a server sent outranks a word that its client made up, such as `CLIENT_HTTP_NOT_IMPLEMENTED` for each status. */
function contradictsStatus(entry: Entry, statuses: readonly number[]): boolean {
  return entry.byWords === true && statuses.some((status) => status >= 400 && !mayRefine(status, entry));
}

/** The extended status of a mail server: `4.7.0 Try again later`. */
const enhancedReply = /^(?:[45]\d\d[ -])?[45]\.\d{1,2}\.\d{1,3} /;

const isNamed = ({ names }: Layer, pattern: RegExp): boolean => names.some((name) => pattern.test(name));

/** The table that a bare number belongs to: the first that applies. */
function kindOf(field: string, value: number, layer: Layer): string {
  if (layer.isProcess && (field === 'code' || field === 'exitCode')) return 'exit';
  if (field === 'errcode') return 'sqlite';
  if (value <= -32_000 && value >= -32_999) return 'mcp';
  if (field === 'number') return 'sqlserver';
  if (value >= 0x1000 && isNamed(layer, /^ResponseError$/)) return 'cassandra';
  // no server of HTTP says 450, 452 or 530 to 597
  if (
    field === 'responseCode' ||
    field === 'smtp' ||
    value === 450 ||
    value === 452 ||
    (value >= 530 && value < 598) ||
    isNamed(layer, /^(?:FTP|SMTP)/i) ||
    layer.texts.some((text) => enhancedReply.test(text))
  )
    return 'reply';
  if (isNamed(layer, /^Mongo/)) return 'mongo';
  if (value >= 1 && value <= 16 && isGrpc(layer)) return 'grpc';
  return value > 1000 && value < 1016 ? 'websocket' : 'status';
}

function isGrpc({ isGrpc: isMarked, texts }: Layer): boolean {
  return isMarked || texts.some((text) => /^(?:\[[a-z_]{2,24}\] |\d{1,2} [A-Z_]{2,24}: )/.test(text));
}
