/** Owns the input of the format-specific rules: the messages in their final order and the surrounding request. */
import type { JsonObject } from '../json.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { RepairLog } from '../repair/repair-log.ts';
import type { Message } from '../transcript.ts';
import type { Codec } from './codec.ts';

export interface FormatContext {
  /** The request without its messages; replaced by a copy when a rule changes it. */
  request: JsonObject;
  messages: readonly Message[];
  readonly codec: Codec;
  readonly rules: ProviderRules;
  readonly log: RepairLog;
}
