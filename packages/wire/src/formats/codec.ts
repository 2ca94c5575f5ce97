/**
 * Owns the interface of a format codec: reads messages into the neutral model, writes them back, and creates new parts.
 * Does not own any rule about order or pairing.
 */
import type { RepairLog } from '../repair/repair-log.ts';
import type { JsonObject } from '../json.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { Message, Part, Role } from '../transcript.ts';

export interface PartFields {
  readonly id: readonly string[];
  readonly name: readonly string[] | undefined;
  /** Calls only. */
  readonly arguments: readonly string[] | undefined;
  /** Results only. */
  readonly content: readonly string[] | undefined;
}

export interface ReadContext {
  readonly log: RepairLog;
  readonly rules: ProviderRules;
  /** The request that contains the messages. */
  readonly request: JsonObject;
}

export interface Codec {
  /** Fields of the request that may contain the messages, the usual one first. */
  readonly lists: readonly string[];
  readonly read: (list: readonly unknown[], path: string, context: ReadContext) => Message[];
  readonly write: (message: Message) => unknown;
  readonly fieldsOf: (part: Part) => PartFields;
  readonly partPath: (messagePath: string, message: Message, index: number) => string;
  /** Creates an error result for a call without one; `undefined` if the format has none for this type of call. */
  readonly placeholder: (call: Part, text: string, denied: boolean, rules: ProviderRules) => unknown;
  readonly textPart: (text: string) => unknown;
  readonly emptyMessage: (role: Role) => JsonObject;
  /** The role of a message that contains results. */
  readonly resultRole: Role;
  readonly roleField: (role: Role) => string;
}
