/**
 * Owns the second try: a transcript that was refused is repaired by tighter rules, once.
 *
 * Invariants
 * 1. Only faults of the transcript are repaired. Those of the model and of definitions are the caller's.
 * 2. A request is sent again only when it is another one.
 */
import { type RequestFault, faultOf } from '../faults/fault-of.ts';
import { tryParse } from '../json.ts';
import { providerProfiles } from '../profiles/backends.ts';
import type { Repaired } from '../repair/repair.ts';
import type { RuleId } from '../rules.ts';
import type { JsonObject } from '../json.ts';
import type { ModelRequest } from './model-request.ts';
import { repairModelRequest } from './repair-request.ts';

const refusalStatuses: ReadonlySet<number> = new Set([400, 422]);
const longestRefusal = 100_000;

/** What a provider says is wrong with a request; `undefined` when it says nothing that is known. The response stays unread. */
export async function readRefusal(response: Response): Promise<RequestFault | undefined> {
  if (!refusalStatuses.has(response.status)) return undefined;
  try {
    const text = await readBeginning(response.clone());
    return faultOf(tryParse(text)?.value ?? text);
  } catch {
    return undefined;
  }
}

/** No more than is needed: a refusal may be without end. */
async function readBeginning({ body }: Response): Promise<string> {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < longestRefusal) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => undefined);
  return text;
}

/** Providers tell these apart in different ways: a result in the wrong place is a missing one to some. */
const pairingRules: ReadonlySet<RuleId> = new Set<RuleId>([
  'missing-result',
  'orphan-result',
  'duplicate-result',
  'result-place',
  'result-id',
  'result-name',
  'role-order',
  'message-merge',
  'mixed-turn',
  'block-order',
  'count-mismatch',
]);
const idRules: ReadonlySet<RuleId> = new Set<RuleId>(['call-id-form', 'call-id-duplicate', 'call-id-missing', 'item-id', 'result-id']);

const areRelated = (rule: RuleId, other: RuleId): boolean =>
  rule === other || [pairingRules, idRules].some((group) => group.has(rule) && group.has(other));

/** The smallest repair, by the rules of any backend of the format, that does something about the fault. */
export function repairRefused(fault: RequestFault, outgoing: ModelRequest): Repaired<JsonObject> | undefined {
  if (fault.kind !== 'history') return undefined;
  return providerProfiles
    .map((profile) => repairModelRequest(outgoing, profile))
    .filter(({ changes }) => changes.some(({ rule }) => areRelated(rule, fault.rule)))
    .toSorted((one, other) => one.changes.length - other.changes.length)[0];
}
