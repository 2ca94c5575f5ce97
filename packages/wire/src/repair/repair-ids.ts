/**
 * Owns giving calls and their results matching ids and names that the provider accepts.
 *
 * Invariants
 * 1. The first occurrence of a valid id is kept, so prompt caches of the transcript's prefix stay valid.
 * 2. A result has exactly the id of its call, or none if its call has none.
 */
import { textOf, valueAt, withValueAt } from '../json.ts';
import type { Codec } from '../formats/codec.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { RuleId } from '../rules.ts';
import { usableName, type Format, type Message, type Part } from '../transcript.ts';
import type { RepairLog } from './repair-log.ts';
import type { NameMap } from './name-mapping.ts';

export interface IdContext {
  readonly format: Format;
  readonly codec: Codec;
  readonly rules: ProviderRules;
  readonly log: RepairLog;
  readonly nameMap: NameMap;
}

const prefixes: Readonly<Partial<Record<Format, string>>> = { 'anthropic-messages': 'toolu_', 'bedrock-converse': 'tooluse_' };

export function repairIdsAndNames(messages: readonly Message[], context: IdContext): void {
  const seen: Seen = { ids: new Set(), made: new Map(), sent: new Map(), calls: 0 };
  reserveNames(messages, context);
  context.nameMap.reserveIds(() => givenIds(messages));
  for (const message of messages) {
    if (message.role !== 'assistant') {
      if (context.rules.callId.uniqueIn === 'turn' && seen.ids.size > 0) seen.ids.clear();
      continue;
    }
    for (const part of message.parts) if (part.kind === 'call') repairCall(part, message, seen, context);
  }
  for (const message of messages)
    for (const part of message.parts) if (part.kind === 'result' && part.partner) repairResult(part, part.partner, message, seen, context);
}

interface Seen {
  readonly ids: Set<string>;
  /** Invalid ids and their replacements. */
  readonly made: Map<string, string>;
  /** Calls whose id was changed, and the rule that required it. */
  readonly sent: Map<Part, { readonly id: string | undefined; readonly rule: RuleId }>;
  calls: number;
}

/** Reserves valid names before any other is generated. */
function reserveNames(messages: readonly Message[], { codec, nameMap }: IdContext): void {
  for (const { parts } of messages)
    for (const part of parts) if (part.kind === 'call' && codec.fieldsOf(part).name) nameMap.reserveName(nameOf(part, codec));
}

/** A call without a name has that of its result, where results have names of their own. */
function nameOf(call: Part, codec: Codec): string {
  const { name = '', partner } = call;
  const told = usableName(name) === undefined && partner && codec.fieldsOf(partner).name ? usableName(partner.name) : undefined;
  return told ?? name;
}

function givenIds(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'call' ? (part.id ?? []) : [])));
}

function repairCall(call: Part, message: Message, seen: Seen, context: IdContext): void {
  seen.calls += 1;
  const fields = context.codec.fieldsOf(call);
  const native = valueAt(call.native, fields.id);
  const [id, rule] = idFor(call, native, seen, context);
  if (rule) seen.sent.set(call, { id, rule });
  if (id !== undefined) seen.ids.add(id);
  if (id !== native && rule) set(call, message, fields.id, id, rule, context.log);
  if (!fields.name) return;
  const name = nameOf(call, context.codec);
  const wire = name === '' ? 'unknown_tool' : context.nameMap.nameFor(name);
  if (wire !== valueAt(call.native, fields.name))
    set(call, message, fields.name, wire, name === '' || name !== call.name ? 'name-missing' : 'name-form', context.log);
}

function idFor(
  call: Part,
  native: unknown,
  seen: Seen,
  { rules, nameMap, format }: IdContext,
): readonly [string | undefined, RuleId | undefined] {
  const prefix = prefixes[format] ?? 'call_';
  if (call.id === undefined) {
    if (!rules.callId.required) return [undefined, native === undefined ? undefined : 'call-id-missing'];
    return [nameMap.generateId(`position ${seen.calls}`, prefix, undefined), 'call-id-missing'];
  }
  if (nameMap.isId(call.id)) {
    if (!seen.ids.has(call.id)) return [call.id, native === call.id ? undefined : 'call-id-form'];
    return [nameMap.generateId(`${call.id} ${seen.calls}`, prefix, call.id), 'call-id-duplicate'];
  }
  const known = seen.made.get(call.id);
  if (known !== undefined && !seen.ids.has(known)) return [known, 'call-id-form'];
  const made = nameMap.generateId(known === undefined ? call.id : `${call.id} ${seen.calls}`, prefix, call.id);
  if (known === undefined) seen.made.set(call.id, made);
  return [made, 'call-id-form'];
}

function repairResult(result: Part, call: Part, message: Message, seen: Seen, { codec, log, nameMap }: IdContext): void {
  const fields = codec.fieldsOf(result);
  const sent = seen.sent.get(call);
  const id = sent ? sent.id : textOf(valueAt(call.native, codec.fieldsOf(call).id));
  if (valueAt(result.native, fields.id) !== id) set(result, message, fields.id, id, ruleOfResult(result, call, sent?.rule), log);
  if (!fields.name) return;
  const name = nameOf(call, codec);
  const wire = name === '' ? 'unknown_tool' : nameMap.nameFor(name);
  if (valueAt(result.native, fields.name) !== wire)
    set(result, message, fields.name, wire, result.name === name ? 'name-form' : 'result-name', log);
}

const ruleOfResult = (result: Part, call: Part, rule: RuleId | undefined): RuleId =>
  rule === undefined || result.id !== call.id ? 'result-id' : rule;

function set(part: Part, message: Message, fields: readonly string[], next: unknown, rule: RuleId, log: RepairLog): void {
  const path = part.path === undefined ? undefined : [part.path, ...fields].join('.');
  log.edited(rule, path, valueAt(part.native, fields), next);
  part.native = withValueAt(part.native, fields, next);
  message.changed = true;
}
