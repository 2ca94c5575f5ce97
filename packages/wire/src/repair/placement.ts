/** Owns the shared part of placing results: placeholders, reporting moves, adding messages. */
import type { Codec } from '../formats/codec.ts';
import { isRecord } from '../json.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import { newMessage, newPart, sentences, type Message, type Part, type Role } from '../transcript.ts';
import type { RepairLog } from './repair-log.ts';

export interface PlacementContext {
  readonly codec: Codec;
  readonly rules: ProviderRules;
  readonly log: RepairLog;
  /** Each result is a separate message. */
  readonly oneResultEach: boolean;
  readonly messageOf: (role: Role, parts: readonly Part[]) => Message;
  /** Late results that replace a placeholder. */
  readonly replacing: ReadonlySet<Part>;
  /** Approval state of calls that require one. */
  readonly approvals: ReadonlyMap<Part, 'asked' | 'given' | 'refused'>;
}

export const isClientCall = (part: Part): boolean => part.kind === 'call' && !part.dropped;

/** Whether a result stays in place because the provider holds its call. */
export const isPlaced = (part: Part): boolean => part.kind === 'result' && !part.dropped && !part.partner;

export const messageMaker =
  (codec: Codec) =>
  (role: Role, parts: readonly Part[]): Message => {
    const [first] = parts;
    const message = newMessage(role, codec.emptyMessage(role), parts, undefined, true);
    // If a result is a separate message, the message is the result itself.
    if (first && parts.length === 1 && isRecord(first.native) && codec.partPath('', message, 0) === '') message.native = first.native;
    return message;
  };

/** The results of calls, in call order, with placeholders for missing ones. */
export function answersOf(calls: readonly Part[], placing: PlacementContext, run: readonly Message[], atEnd: boolean): readonly Part[] {
  return calls.flatMap((call): readonly Part[] => {
    if (call.partner) return [call.partner];
    const approval = placing.approvals.get(call);
    if (atEnd && run.length > 0 && approval !== undefined && approval !== 'asked') return [];
    const placeholder = placeholderOf(call, approval !== undefined && approval !== 'given', placing);
    return placeholder ? [placeholder] : [];
  });
}

function placeholderOf(call: Part, denied: boolean, { codec, rules, log }: PlacementContext): Part | undefined {
  const native = codec.placeholder(call, denied ? sentences.denied : sentences.noResult, denied, rules);
  if (native === undefined) {
    log.problem('missing-result', call.path ?? '', `The call ${call.id ?? ''} has no result, and no placeholder exists for its type.`);
    return undefined;
  }
  const result = newPart('result', native, undefined, call.id, call.name);
  call.partner = result;
  result.partner = call;
  log.added('missing-result', result);
  return result;
}

/** Reports the results that are moved here or change their order. */
export function moveInto(answers: readonly Part[], existing: readonly Part[], { log }: PlacementContext): void {
  const places = new Map(existing.map((part, index) => [part, index]));
  let last = -1;
  for (const part of answers) {
    const place = places.get(part);
    if (place === undefined || place < last) log.moved('result-place', part);
    else last = place;
  }
}
