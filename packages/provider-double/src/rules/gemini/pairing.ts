/**
 * Calls and responses of a Gemini conversation.
 * 1. A content with calls follows the user or a content with responses.
 * 2. The content after it answers all of them at once: as many responses as calls.
 * 3. Responses appear nowhere else. When both sides have ids, the ids match.
 * 4. From Gemini 3 on, a response has the name of its call.
 */
import type { Report } from '../problem.ts';
import { isText } from '../reading.ts';
import { callsIn, responsesIn, type Call, type Content } from './shape.ts';

const count =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
const callPlace = 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
const responsePlace = 'Please ensure that function response turn comes immediately after a function call turn.';

const ids = (calls: readonly Call[]): readonly string[] => calls.map((call) => call.id).filter((id) => isText(id) && id !== '') as string[];

/** Ids are compared only if every call and every response has one; their order is free. */
function foreignId(calls: readonly Call[], responses: readonly Call[]): readonly [string, string] | undefined {
  const [called, answered] = [ids(calls), ids(responses)];
  if (called.length !== calls.length || answered.length !== responses.length) return undefined;
  const open = [...called];
  for (const id of answered) {
    const place = open.indexOf(id);
    if (place < 0) return [id, open[0] ?? ''];
    open.splice(place, 1);
  }
  return undefined;
}

/** The first response whose name is not that of its call, found by id or else by counting names. */
function findMisnamed(calls: readonly Call[], responses: readonly Call[]): number {
  const open = calls.map((call) => ({ id: call.id, name: call.name }));
  return responses.findIndex((response) => {
    const byId = isText(response.id) && response.id !== '' ? open.findIndex(({ id }) => id === response.id) : -1;
    const place = byId < 0 ? open.findIndex(({ name }) => name === response.name) : byId;
    const [call] = place < 0 ? [] : open.splice(place, 1);
    return call?.name !== response.name;
  });
}

export function checkPairing(contents: readonly Content[], model: string, report: Report): void {
  for (const [index, content] of contents.entries()) {
    const path = `contents[${index}]`;
    const before = contents[index - 1];
    const next = contents[index + 1];
    const calls = callsIn(content);
    const responses = responsesIn(content);
    if (calls.length > 0) {
      const answers = responsesIn(next);
      const afterUser = before !== undefined && before.role !== 'model';
      if (!afterUser) report({ rule: 'call-order', path, message: callPlace });
      if (answers.length < calls.length) report({ rule: 'missing-result', path, message: count });
      if (answers.length > calls.length) report({ rule: 'duplicate-result', path: `contents[${index + 1}]`, message: count });
      const foreign = answers.length === calls.length ? foreignId(calls, answers) : undefined;
      if (foreign) {
        const message = `functionResponse.id "${foreign[0]}" does not match functionCall.id "${foreign[1]}"`;
        report({ rule: 'call-id-form', path: `contents[${index + 1}]`, message });
      }
    }
    const misnamed =
      /gemini-[3-9]/.test(model) && callsIn(before).length === responses.length ? findMisnamed(callsIn(before), responses) : -1;
    if (misnamed >= 0) report({ rule: 'result-name', path, message: 'Request contains an invalid argument.' });
    if (responses.length > 0 && callsIn(before).length === 0) report({ rule: 'orphan-result', path, message: responsePlace });
  }
}

export function checkEnds(contents: readonly Content[], report: Report): void {
  const last = contents.length - 1;
  if (contents[0]?.role === 'model' && callsIn(contents[0]).length === 0) {
    const message = 'Please ensure that multiturn requests start with a user role.';
    report({ rule: 'conversation-start', path: 'contents[0]', message });
  }
  if (contents[last]?.role === 'model' && callsIn(contents[last]).length === 0) {
    const message = 'Please ensure that multiturn requests end with a user role or a function response.';
    report({ rule: 'conversation-end', path: `contents[${last}]`, message });
  }
}
