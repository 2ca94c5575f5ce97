/**
 * Owns what the codes, statuses, names and flags of a layer say. Does not own the tables, nor messages (`text-findings.ts`).
 */
import type { Code, Layer } from './evidence.ts';
import type { Finding } from './finding.ts';
import { statusEntry } from './http-statuses.ts';
import * as numbered from './numbered-codes.ts';
import { codeEntry, nameEntry } from './symbols.ts';
import * as is from './verdict.ts';
import type { Entry } from './verdict.ts';

/** Everything structured a layer says. */
export function structuredFindings(layer: Layer): readonly Finding[] {
  return [...layer.codes.flatMap((code) => codeFindings(code, layer)), ...statusFindings(layer), ...nameFindings(layer)];
}

function codeFindings(code: Code, layer: Layer): readonly Finding[] {
  const { depth } = layer;
  if (typeof code.value === 'number') {
    const found = numberEntry(code, layer);
    return found ? [{ ...found.entry, depth, rule: `${found.kind}:${String(code.value)}`, code: String(code.value) }] : [];
  }
  const entry = codeEntry(code.value);
  return entry ? [{ ...entry, depth, rule: `code:${code.value}`, code: code.value }] : [];
}

interface NumberKind {
  readonly kind: string;
  readonly table: ReadonlyMap<string, Entry>;
  readonly applies: (code: Code & { readonly value: number }, layer: Layer) => boolean;
}

const named = (layer: Layer, pattern: RegExp): boolean => layer.names.some((name) => pattern.test(name));

/** Which table a bare number belongs to: the first that applies. */
const numberKinds: readonly NumberKind[] = [
  { kind: 'mcp', table: numbered.jsonRpcCodes, applies: ({ value }) => value <= -32_000 && value >= -32_999 },
  { kind: 'reply', table: numbered.replyCodes, applies: ({ field }, layer) => field === 'responseCode' || named(layer, /^(?:FTP|SMTP)/i) },
  { kind: 'sqlserver', table: numbered.sqlServerCodes, applies: ({ field }) => field === 'number' },
  { kind: 'exit', table: numbered.exitCodes, applies: (_code, layer) => layer.marks.has('process') },
  { kind: 'mongo', table: numbered.mongoCodes, applies: (_code, layer) => named(layer, /^Mongo/) },
  { kind: 'grpc', table: numbered.grpcCodes, applies: ({ value }, layer) => value >= 1 && value <= 16 && isGrpc(layer) },
  { kind: 'websocket', table: numbered.webSocketCloses, applies: ({ value }) => value > 1000 && value < 1016 },
];

function isGrpc(layer: Layer): boolean {
  return layer.marks.has('grpc') || layer.texts.some((text) => /^(?:\[[a-z_]{2,24}\] |\d{1,2} [A-Z_]{2,24}: )/.test(text));
}

function numberEntry(code: Code, layer: Layer): { readonly kind: string; readonly entry: Entry } | undefined {
  const { field, value } = code;
  if (typeof value !== 'number') return undefined;
  if (field === 'errcode') return kindEntry('sqlite', numbered.sqliteCodes, value & 0xff);
  const kind = numberKinds.find(({ applies }) => applies({ field, value }, layer));
  if (kind) return kindEntry(kind.kind, kind.table, value);
  const entry = statusEntry(value);
  return entry && { kind: 'status', entry };
}

function kindEntry(
  kind: string,
  table: ReadonlyMap<string, Entry>,
  value: number,
): { readonly kind: string; readonly entry: Entry } | undefined {
  const entry = table.get(String(value));
  return entry && { kind, entry };
}

function statusFindings(layer: Layer): readonly Finding[] {
  return layer.statuses.flatMap((status) => {
    const entry = statusEntry(status);
    return entry ? [{ ...entry, depth: layer.depth, rule: `status:${String(status)}`, status }] : [];
  });
}

function nameFindings(layer: Layer): readonly Finding[] {
  const findings: Finding[] = layer.names.flatMap((name) => {
    const entry = nameEntry(name, layer.marks.has('service_name'));
    return entry ? [{ ...entry, depth: layer.depth, rule: `name:${name}` }] : [];
  });
  if (layer.marks.has('issues')) findings.push({ verdict: is.invalidInput, weight: 'name', depth: layer.depth, rule: 'shape:issues' });
  return findings;
}
