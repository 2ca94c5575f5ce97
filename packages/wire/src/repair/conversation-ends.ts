/** Owns the start and end of a conversation, and bridge messages between roles that may not follow each other. */
import type { FormatContext } from '../formats/format-context.ts';
import { isRecord, isText, valueAt, withValueAt } from '../json.ts';
import type { RuleId } from '../rules.ts';
import { newPart, sentences, type Message, type Part, type Role } from '../transcript.ts';
import { messageMaker } from './placement.ts';

export function repairEnds(context: FormatContext): void {
  const { rules, messages } = context;
  if (messages.length === 0) return;
  if (rules.besideResults !== 'anything') splitMixedTurns(context);
  if (rules.bridgeBehindResults) bridge(context);
  if (rules.startsWithUser && context.messages[0]?.role === 'assistant')
    context.messages = [newTextMessage('user', sentences.start, 'starts-with-user', context), ...context.messages];
  const last = context.messages.at(-1);
  // A turn the provider paused during its own tools is sent back unchanged, and so is one that the model is asked to continue.
  if (last?.role !== 'assistant' || last.parts.at(-1)?.kind === 'server' || last.native['prefix'] === true) return;
  if (rules.endsWithUser) context.messages = [...context.messages, newTextMessage('user', sentences.proceed, 'ends-with-user', context)];
  else if (rules.filledTexts) trimEnd(context);
}

function newTextMessage(role: Role, text: string, rule: RuleId, { codec, log }: FormatContext): Message {
  const part = newPart('text', codec.textPart(text));
  const message = messageMaker(codec)(role, [part]);
  log.added(rule, part);
  return message;
}

const otherRoles: ReadonlySet<Role | undefined> = new Set<Role | undefined>(['user', 'system']);

/** Adds an assistant message between tool results and the next user or system message. */
function bridge(context: FormatContext): void {
  context.messages = context.messages.flatMap((message, index) =>
    message.role === 'tool' && otherRoles.has(context.messages[index + 1]?.role)
      ? [message, newTextMessage('assistant', sentences.bridge, 'role-order', context)]
      : [message],
  );
}

/** Puts results in a separate turn, and the rest after a bridge, because adjacent messages of the same role are one turn. */
function splitMixedTurns(context: FormatContext): void {
  const { messages, rules } = context;
  const mayStay = (part: Part): boolean => isResult(part) || (rules.besideResults === 'texts-and-images' && isTextOrImage(part));
  context.messages = messages.flatMap((message, index) => {
    if (message.role !== 'user' || !message.parts.some(isResult)) return [message];
    const next = messages[index + 1];
    const continues = next?.role === 'user' && !next.parts.some(isResult) && !next.parts.every(mayStay);
    if (!continues && message.parts.every(mayStay)) return [message];
    const results = message.parts.filter(isResult);
    const others = message.parts.filter((part) => !isResult(part));
    const between = newTextMessage('assistant', sentences.bridge, 'mixed-turn', context);
    if (others.length === 0) return [message, between];
    for (const part of others) context.log.moved('mixed-turn', part);
    message.parts = results;
    message.changed = true;
    return [message, between, messageMaker(context.codec)('user', others)];
  });
}

const isTextOrImage = ({ kind, native }: Part): boolean =>
  kind === 'text' || (isRecord(native) && ['image', 'cachePoint', 'guardContent'].some((field) => native[field] !== undefined));

const isResult = ({ kind }: Part): boolean => kind === 'result';

/** Trims the last assistant text: the model continues it, so it may not end with whitespace. */
function trimEnd({ messages, log }: FormatContext): void {
  const message = messages.at(-1);
  const part = message?.parts.at(-1);
  if (!message || part?.kind !== 'text') return;
  const fields = isText(part.native) ? [] : ['text'];
  const text = fields.length === 0 ? part.native : valueAt(part.native, fields);
  if (!isText(text) || text.trimEnd() === text) return;
  log.edited('trailing-space', part.path === undefined ? undefined : [part.path, ...fields].join('.'), text, text.trimEnd());
  part.native = fields.length === 0 ? text.trimEnd() : withValueAt(part.native, fields, text.trimEnd());
  message.changed = true;
}
