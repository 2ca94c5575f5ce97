/** Owns what the rules about contents see, and how they change one. */
import { valueAt, withValueAt } from '../json.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { RepairLog } from '../repair/repair-log.ts';
import type { OnEdit } from '../repair/plain-values.ts';
import type { RuleId } from '../rules.ts';
import type { Format, Message, Part } from '../transcript.ts';
import type { Codec } from './codec.ts';

export interface ContentContext {
  readonly format: Format;
  readonly codec: Codec;
  readonly rules: ProviderRules;
  readonly log: RepairLog;
  /** Tells the log of an edit. */
  readonly onEdit: OnEdit;
  /** Values must be plain JSON when they are handed over, not only when they are sent. */
  readonly strict: boolean;
}

export function editContent(
  part: Part,
  message: Message,
  scene: ContentContext,
  rule: RuleId,
  fields: readonly string[],
  next: unknown,
): void {
  const before = valueAt(part.native, fields);
  const path = part.path === undefined ? undefined : [part.path, ...fields].join('.');
  scene.log.edited(rule, path, before, next);
  part.native = fields.length === 0 ? next : withValueAt(part.native, fields, next);
  message.changed = true;
}
