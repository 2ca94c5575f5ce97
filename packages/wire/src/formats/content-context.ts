/** Owns the input of the rules about contents, and how they edit a part. */
import { isList, isText, jsonText, valueAt, withValueAt } from '../json.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { RepairLog } from '../repair/repair-log.ts';
import type { OnEdit } from '../repair/plain-values.ts';
import type { RuleId } from '../rules.ts';
import type { Format, Message, Part } from '../transcript.ts';
import type { Codec } from './codec.ts';

/** Returns whether to keep the message. */
export type RepairMessage = (message: Message, context: ContentContext, isLast: boolean) => boolean;

export interface ContentContext {
  readonly format: Format;
  readonly codec: Codec;
  readonly rules: ProviderRules;
  readonly log: RepairLog;
  /** Records an edit in the log. */
  readonly onEdit: OnEdit;
  /** Repairs the contents of a message by the rules of its format; returns whether to keep it. */
  readonly contents: RepairMessage;
  /** Values must be plain JSON already when passed to the SDK, not only after serialization. */
  readonly strict: boolean;
}

/** The input of a custom tool is a string. */
export function repairInput(part: Part, message: Message, context: ContentContext, fields: readonly string[]): void {
  const input = valueAt(part.native, fields);
  if (isText(input)) return;
  editContent(part, message, context, 'arguments-form', fields, input === undefined || input === null ? '' : jsonText(input));
}

/** Reports content that the provider does not accept. It would be lost if it were removed. */
export function reportContentTypes(content: unknown, path: string | undefined, { rules, log }: ContentContext): void {
  if (!rules.contentTypes || !isList(content)) return;
  for (const [index, piece] of content.entries()) {
    const type = valueAt(piece, ['type']);
    if (isText(type) && !rules.contentTypes.includes(type))
      log.problem('content-form', `${path ?? ''}.content.${index}`, `The provider accepts no content of the type '${type}'.`);
  }
}

export function editContent(
  part: Part,
  message: Message,
  context: ContentContext,
  rule: RuleId,
  fields: readonly string[],
  next: unknown,
): void {
  const before = valueAt(part.native, fields);
  const path = part.path === undefined ? undefined : [part.path, ...fields].join('.');
  context.log.edited(rule, path, before, next);
  part.native = fields.length === 0 ? next : withValueAt(part.native, fields, next);
  message.changed = true;
}
