/** The fields of a `ModelMessage`, all of them untrusted. */
import { fieldsOf, listOf } from '../reading.ts';

export interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
}

export interface Part {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly toolCallId?: unknown;
  readonly toolName?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly providerExecuted?: unknown;
  readonly approvalId?: unknown;
  readonly approved?: unknown;
}

export const partsOf = (message: Message): readonly Part[] => listOf(message.content).map((part) => fieldsOf<Part>(part));
