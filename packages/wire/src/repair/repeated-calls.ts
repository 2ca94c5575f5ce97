/** Owns removing repetitions of a call that has one result or none for both. */
import { jsonText, sameJson } from '../json.ts';
import type { Codec } from '../formats/codec.ts';
import type { Message, Part } from '../transcript.ts';
import { isSameCall, type Slot, type Turn } from './pairing.ts';
import type { RepairLog } from './repair-log.ts';

/** Messages from which repeated calls were removed. */
export interface RemovedRepeats {
  readonly removed: ReadonlySet<Message>;
  readonly shortened: ReadonlySet<Message>;
}

interface RemovingRepeats extends RemovedRepeats {
  readonly removed: Set<Message>;
  readonly shortened: Set<Message>;
  readonly log: RepairLog;
}

export function dropRepeatedCalls(turns: readonly Turn[], codec: Codec, log: RepairLog): RemovedRepeats {
  const removing: RemovingRepeats = { removed: new Set(), shortened: new Set(), log };
  for (const turn of turns) dropRepeatsOfTurn(turn, codec, removing);
  return removing;
}

function dropRepeatsOfTurn(slots: Turn, codec: Codec, removing: RemovingRepeats): void {
  if (slots.length === 1 || slots.every(({ call }) => call.partner)) return;
  const first = new Map<string, Slot>();
  const repeats = new Map<Message, Repeat>();
  for (const slot of slots) {
    const { call, message } = slot;
    if (call.id === undefined) continue;
    const original = first.get(call.id);
    if (!original) first.set(call.id, slot);
    else if (!call.partner && isSameCall(original.call, call, codec)) {
      const repeat = repeats.get(message) ?? { original: original.message, calls: new Set() };
      repeat.calls.add(call);
      repeats.set(message, repeat);
    }
  }
  for (const [message, repeat] of repeats) dropRepeats(message, repeat, removing);
}

/** Calls of a message that repeat calls of an earlier one. */
interface Repeat {
  readonly original: Message;
  readonly calls: Set<Part>;
}

function dropRepeats(message: Message, { original, calls }: Repeat, { removed, shortened, log }: RemovingRepeats): void {
  message.changed = true;
  if (original !== message && isRepeated(message, original)) {
    for (const part of message.parts) if (part.kind === 'call') part.dropped = true;
    log.removed('duplicate-call', message.path, message.native);
    removed.add(message);
    return;
  }
  for (const call of calls) {
    call.dropped = true;
    log.removed('duplicate-call', call.path, call.native);
  }
  message.parts = message.parts.filter((part) => !calls.has(part));
  shortened.add(message);
}

const partFields: ReadonlySet<string> = new Set(['content', 'parts', 'tool_calls']);

/** Whether a message contains nothing new compared to another one: the same parts and the same other fields. */
function isRepeated(message: Message, original: Message): boolean {
  const { native } = message;
  if (Object.keys(native).some((key) => !partFields.has(key) && !sameJson(native[key], original.native[key]))) return false;
  const contents = new Set(original.parts.map((part) => jsonText(part.native)));
  return message.parts.every((part) => {
    if (part.kind === 'call') return !part.partner && contents.has(jsonText(part.native));
    if (part.native === null || part.native === '') return true;
    return part.kind !== 'result' && contents.has(jsonText(part.native));
  });
}
