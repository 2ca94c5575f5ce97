/** Owns what the rules of one format alone see: the messages in their places, the request around them. */
import type { JsonObject } from '../json.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { RepairLog } from '../repair/repair-log.ts';
import type { Message } from '../transcript.ts';
import type { Codec } from './codec.ts';

export interface FormatContext {
  /** The request, without its messages; a copy takes its place when a rule changes it. */
  request: JsonObject;
  messages: readonly Message[];
  readonly codec: Codec;
  readonly rules: ProviderRules;
  readonly log: RepairLog;
}
