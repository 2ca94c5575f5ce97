/** Anthropic's message threads: the server holds the conversation, the client sends the new messages and the id of the last answer. */
import { fieldsOf, isRecord, isText, listOf } from '../rules/reading.ts';

export interface HeldThreads {
  /** The request with everything before it; `undefined` if the thread is not known. */
  readonly whole: (body: unknown) => unknown;
  /** Keeps the conversation up to this answer, for a request that asked for it. */
  readonly keep: (sent: unknown, whole: unknown, id: string, content: unknown) => void;
}

interface Body {
  readonly messages?: unknown;
  readonly tools?: unknown;
  readonly system?: unknown;
  readonly thread?: unknown;
}

interface ThreadField {
  readonly type?: unknown;
  readonly previous_message_id?: unknown;
}

export function heldThreads(): HeldThreads {
  const threads = new Map<string, Body>();
  return {
    whole(body) {
      const { messages, thread } = fieldsOf<Body>(body);
      const { type, previous_message_id: id } = fieldsOf<ThreadField>(thread);
      if (type !== 'continue') return body;
      const held = isText(id) ? threads.get(id) : undefined;
      if (!held) return undefined;
      const { thread: _thread, ...rest } = isRecord(body) ? body : {};
      return { ...rest, ...held, messages: [...listOf(held.messages), ...listOf(messages)] };
    },
    keep(sent, whole, id, content) {
      if (!isRecord(fieldsOf<Body>(sent).thread)) return;
      const { messages, tools, system } = fieldsOf<Body>(whole);
      threads.set(id, {
        ...(tools === undefined ? {} : { tools }),
        ...(system === undefined ? {} : { system }),
        messages: [...listOf(messages), { role: 'assistant', content }],
      });
    },
  };
}
