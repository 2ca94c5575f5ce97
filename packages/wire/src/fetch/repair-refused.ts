/**
 * Owns the retry: a refused transcript is repaired with stricter rules, once.
 *
 * Invariants
 * 1. Only faults of the transcript are repaired; those of the model and the tool definitions are left to the caller.
 * 2. A request is retried only if the repair changed it.
 */
import { type RequestFault, faultOf } from '../faults/fault-of.ts';
import { parseJsonOrUndefined } from '../json.ts';
import { providerProfiles } from '../profiles/profile-names.ts';
import type { Repaired } from '../repair/repair-transcript.ts';
import type { RuleId } from '../rules.ts';
import type { JsonObject } from '../json.ts';
import type { ModelRequest } from './model-request.ts';
import { repairModelRequest } from './repair-request.ts';

const refusalStatuses: ReadonlySet<number> = new Set([400, 422]);
const maxRefusalLength = 100_000;

/** Reads the fault from a provider's refusal; `undefined` if it is not a known one. The response itself stays unread. */
export async function readRefusal(response: Response): Promise<RequestFault | undefined> {
  if (!refusalStatuses.has(response.status)) return undefined;
  try {
    const text = await readBeginning(response.clone());
    return faultOf(parseJsonOrUndefined(text) ?? text);
  } catch {
    return undefined;
  }
}

/** Reads a limited prefix, since the body may be endless. */
async function readBeginning({ body }: Response): Promise<string> {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < maxRefusalLength) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => undefined);
  return text;
}

/** Providers classify these differently: some report a misplaced result as a missing one. */
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

/** Returns the smallest repair that addresses the fault, among the rules of all backends of the format. */
export function repairRefused(fault: RequestFault, outgoing: ModelRequest): Repaired<JsonObject> | undefined {
  if (fault.kind !== 'history') return undefined;
  return providerProfiles
    .map((profile) => repairModelRequest(outgoing, profile))
    .filter(({ changes }) => changes.some(({ rule }) => areRelated(rule, fault.rule)))
    .toSorted((one, other) => one.changes.length - other.changes.length)[0];
}
