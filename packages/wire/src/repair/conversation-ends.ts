/** Owns where a conversation starts and ends, and bridges between roles that may not follow each other. */
import type { FormatContext } from '../formats/format-context.ts';
import { isRecord, isText, valueAt, withValueAt } from '../json.ts';
import type { RuleId } from '../rules.ts';
import { newPart, sentences, type Message, type Part, type Role } from '../transcript.ts';
import { messageMaker } from './placement.ts';

export function repairEnds(scene: FormatContext): void {
  const { rules, messages } = scene;
  if (messages.length === 0) return;
  if (rules.besideResults !== 'anything') splitMixedTurns(scene);
  if (rules.bridgeBehindResults) bridge(scene);
  if (rules.startsWithUser && scene.messages[0]?.role === 'assistant')
    scene.messages = [newTextMessage('user', sentences.start, 'starts-with-user', scene), ...scene.messages];
  const last = scene.messages.at(-1);
  // What the provider paused in the middle of its own tools is sent back as it is.
  if (last?.role !== 'assistant' || last.parts.at(-1)?.kind === 'server') return;
  if (rules.endsWithUser) scene.messages = [...scene.messages, newTextMessage('user', sentences.proceed, 'ends-with-user', scene)];
  else if (rules.filledTexts) trimEnd(scene);
}

function newTextMessage(role: Role, text: string, rule: RuleId, { codec, log }: FormatContext): Message {
  const part = newPart('text', codec.textPart(text));
  const message = messageMaker(codec)(role, [part]);
  log.added(rule, part);
  return message;
}

const speakingRoles: ReadonlySet<Role | undefined> = new Set<Role | undefined>(['user', 'system']);

/** The model speaks between tool results and everybody else. */
function bridge(scene: FormatContext): void {
  scene.messages = scene.messages.flatMap((message, index) =>
    message.role === 'tool' && speakingRoles.has(scene.messages[index + 1]?.role)
      ? [message, newTextMessage('assistant', sentences.bridge, 'role-order', scene)]
      : [message],
  );
}

/** Results in a turn of their own, the rest of the turn behind a bridge, for neighbours of one role count as one turn. */
function splitMixedTurns(scene: FormatContext): void {
  const { messages, rules } = scene;
  const mayStay = (part: Part): boolean => isResult(part) || (rules.besideResults === 'texts-and-images' && isTextOrImage(part));
  scene.messages = messages.flatMap((message, index) => {
    if (message.role !== 'user' || !message.parts.some(isResult)) return [message];
    const next = messages[index + 1];
    const goesOn = next?.role === 'user' && !next.parts.some(isResult) && !next.parts.every(mayStay);
    if (!goesOn && message.parts.every(mayStay)) return [message];
    const results = message.parts.filter(isResult);
    const others = message.parts.filter((part) => !isResult(part));
    const between = newTextMessage('assistant', sentences.bridge, 'mixed-turn', scene);
    if (others.length === 0) return [message, between];
    for (const part of others) scene.log.moved('mixed-turn', part);
    message.parts = results;
    message.changed = true;
    return [message, between, messageMaker(scene.codec)('user', others)];
  });
}

const isTextOrImage = ({ kind, native }: Part): boolean =>
  kind === 'text' || (isRecord(native) && ['image', 'cachePoint', 'guardContent'].some((field) => native[field] !== undefined));

const isResult = ({ kind }: Part): boolean => kind === 'result';

/** A last text of the model is a beginning for it to continue with; it may not end in blanks. */
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
