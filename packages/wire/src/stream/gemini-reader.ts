/** Owns reading calls from Gemini streams: complete ones, and those whose arguments are streamed field by field (Vertex). */
import { isList, isRecord, isText, type JsonObject } from '../json.ts';
import { endingOf, laterReason } from '../responses/finish-reasons.ts';
import { CallDraft, type StreamReader } from './assembled-calls.ts';

export function geminiReader(): StreamReader {
  const drafts: CallDraft[] = [];
  let reason: string | undefined;
  const take = (call: JsonObject): void => {
    const { id, name, args, partialArgs, willContinue } = call;
    const last = drafts.at(-1);
    const continues = last?.open === true && (!isText(name) || name === '' || name === last.name);
    const draft = continues ? last : new CallDraft(id, isText(name) ? name : '');
    if (!continues) drafts.push(draft);
    if (isRecord(args)) draft.whole = { ...(isRecord(draft.whole) ? draft.whole : {}), ...args };
    for (const piece of isList(partialArgs) ? partialArgs : []) if (isRecord(piece)) draft.whole = applyPiece(draft.whole, piece);
    draft.open = willContinue === true;
    draft.whole ??= {};
  };
  return {
    push: (chunk) => {
      if (!isRecord(chunk)) return;
      const candidate = isList(chunk['candidates']) ? chunk['candidates'][0] : undefined;
      if (!isRecord(candidate)) return;
      reason = laterReason(reason, candidate['finishReason'], 'gemini');
      const content = candidate['content'];
      const parts = isRecord(content) && isList(content['parts']) ? content['parts'] : [];
      for (const part of parts) if (isRecord(part) && isRecord(part['functionCall'])) take(part['functionCall']);
    },
    read: () => ({ drafts, reason, ending: endingOf(reason, 'gemini') }),
  };
}

type Step = string | number;

/** Applies a partial argument at its path; strings are appended. */
function applyPiece(whole: unknown, piece: JsonObject): unknown {
  const { jsonPath, stringValue, numberValue, boolValue } = piece;
  const path = isText(jsonPath) ? stepsOf(jsonPath) : [];
  const value = stringValue ?? numberValue ?? boolValue ?? null;
  return path.length === 0 ? whole : setAt(whole, path, value);
}

const stepsOf = (path: string): readonly Step[] =>
  [...path.replace(/^\$/, '').matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g)].map(([, name, index, single, double]) =>
    index === undefined ? (name ?? single ?? double ?? '') : Number(index),
  );

const maxListLength = 10_000;

function setAt(owner: unknown, [step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return typeof owner === 'string' && typeof value === 'string' ? owner + value : value;
  if (typeof step === 'number') {
    const list: unknown[] = isList(owner) ? [...owner] : [];
    if (step <= list.length && step < maxListLength) list[step] = setAt(list[step], rest, value);
    return list;
  }
  const fields = isRecord(owner) ? owner : {};
  return { ...fields, [step]: setAt(Object.hasOwn(fields, step) ? fields[step] : undefined, rest, value) };
}
