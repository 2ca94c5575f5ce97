/**
 * Owns what every format can do for a repair: read its messages into the neutral model, write them back, make new parts.
 * Does not own any rule about order or pairing.
 */
import type { RepairLog } from '../repair/repair-log.ts';
import type { JsonObject } from '../json.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { Message, Part, Role } from '../transcript.ts';

export interface PartFields {
  readonly id: readonly string[];
  readonly name: readonly string[] | undefined;
  /** Of a call. */
  readonly arguments: readonly string[] | undefined;
  /** Of a result. */
  readonly content: readonly string[] | undefined;
}

export interface ReadContext {
  readonly log: RepairLog;
  readonly rules: ProviderRules;
  /** The request that the messages stand in. */
  readonly request: JsonObject;
}

export interface Codec {
  /** Fields of the request that can hold the messages, the usual one first. */
  readonly lists: readonly string[];
  readonly read: (list: readonly unknown[], path: string, scene: ReadContext) => Message[];
  readonly write: (message: Message) => unknown;
  readonly fieldsOf: (part: Part) => PartFields;
  readonly partPath: (messagePath: string, message: Message, index: number) => string;
  /** An error result in the place of one that is missing, or `undefined` where none can be made. */
  readonly placeholder: (call: Part, text: string, denied: boolean, rules: ProviderRules) => unknown;
  readonly textPart: (text: string) => unknown;
  readonly emptyMessage: (role: Role) => JsonObject;
  /** The role of a message with results in it. */
  readonly resultRole: Role;
  readonly roleField: (role: Role) => string;
}
