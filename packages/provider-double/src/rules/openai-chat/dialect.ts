/**
 * The error messages and requirements of one backend of the Chat Completions format.
 * Owns: the messages about pairing, and which limits apply. Does not own: how results are paired.
 */
import type { Report, RequestProblem } from '../problem.ts';
import type { ChatMessage, ChatRequest } from './shape.ts';

/** The error of a broken rule; rule and path are known where it was found. */
export type Words = Omit<RequestProblem, 'rule' | 'path'>;

export interface ChatDialect {
  /** Limits of api.openai.com itself: ids of at most 40 characters, 128 tools, names by pattern, schemas checked. */
  readonly limits: boolean;
  /** `next` is the first message after the results, `undefined` at the end of the conversation. */
  readonly missing: (ids: readonly string[], next: number | undefined) => Words;
  readonly orphan: (id: string, index: number, roleBefore: string) => Words;
  readonly duplicate: (id: string, first: number, second: number) => Words;
  readonly emptyCalls?: (path: string) => Words;
  /** What only this backend refuses. */
  readonly extra?: (request: ChatRequest, messages: readonly ChatMessage[], report: Report) => void;
}

const mustFollow = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";

export const roleParam = (next: number | undefined): string => (next === undefined ? 'messages' : `messages.[${next}].role`);

/** api.openai.com; the other backends are based on it. */
export const openai: ChatDialect = {
  limits: true,
  missing: (ids, next) => ({
    message: `${mustFollow} The following tool_call_ids did not have response messages: ${ids.join(', ')}`,
    param: roleParam(next),
  }),
  orphan: (_id, index) => ({
    message: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    param: `messages.[${index}].role`,
  }),
  duplicate: (id, first, second) => ({
    message: `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}', in messages[${first}] and messages[${second}].`,
    param: `messages.[${second}].tool_call_id`,
  }),
};
