/**
 * Owns the findings from the codes, statuses, names and flags of a layer. Does not own the tables, nor messages (`text-findings.ts`).
 */
import type { Code, Layer } from './evidence.ts';
import { weigh } from './finding.ts';
import type { Findings } from './finding.ts';
import { codeEntry, nameEntry, numberedEntry } from './symbols.ts';
import * as is from './verdict.ts';
import type { Entry } from './verdict.ts';

/** Weighs all structured evidence of a layer. */
export function weighStructure(layer: Layer, findings: Findings): void {
  for (const code of layer.codes) weighCode(code, layer, findings);
  for (const status of layer.statuses)
    weighEntry(numberedEntry('status', status), `status:${String(status)}`, layer, findings, undefined, status);
  for (const name of layer.names) weighEntry(nameEntry(name, layer.isService), `name:${name}`, layer, findings);
  if (layer.hasIssues) weighEntry({ verdict: is.invalidInput, weight: is.name }, 'shape:issues', layer, findings);
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
  if (entry) weigh(findings, { verdict: entry.verdict, weight: entry.weight, depth, rule, code, status });
}

function weighCode(code: Code, layer: Layer, findings: Findings): void {
  const { field, value } = code;
  if (typeof value === 'string') return weighEntry(codeEntry(value), `code:${value}`, layer, findings, value);
  const kind = kindOf(field, value, layer);
  const number = kind === 'sqlite' ? value & 0xff : value;
  const status = kind === 'status' ? value : undefined;
  weighEntry(numberedEntry(kind, number), `${kind}:${String(value)}`, layer, findings, String(value), status);
}

const isNamed = ({ names }: Layer, pattern: RegExp): boolean => names.some((name) => pattern.test(name));

/** The table that a bare number belongs to: the first that applies. */
function kindOf(field: string, value: number, layer: Layer): string {
  if (field === 'errcode') return 'sqlite';
  if (value <= -32_000 && value >= -32_999) return 'mcp';
  if (field === 'responseCode' || isNamed(layer, /^(?:FTP|SMTP)/i)) return 'reply';
  if (field === 'number') return 'sqlserver';
  if (layer.isProcess) return 'exit';
  if (isNamed(layer, /^Mongo/)) return 'mongo';
  if (value >= 1 && value <= 16 && isGrpc(layer)) return 'grpc';
  return value > 1000 && value < 1016 ? 'websocket' : 'status';
}

function isGrpc({ isGrpc: isMarked, texts }: Layer): boolean {
  return isMarked || texts.some((text) => /^(?:\[[a-z_]{2,24}\] |\d{1,2} [A-Z_]{2,24}: )/.test(text));
}
