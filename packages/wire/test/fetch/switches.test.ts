/** What is skipped if repair or validation is switched off. */
import { expect, test } from 'vitest';
import { type Fetch, type FetchReport, guardFetch, type GuardFetchOptions } from '../../src/fetch/guard-fetch.ts';

const url = 'https://api.openai.com/v1/chat/completions';
const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
const callOf = (name: string, args = '{}'): unknown => ({ id: 'c1', type: 'function', function: { name, arguments: args } });
const answerOf = (name: string, args: string): unknown => ({
  choices: [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [callOf(name, args)] } }],
});
const broken = JSON.stringify({
  model: 'm',
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: null, tool_calls: [callOf('weather')] },
    { role: 'user', content: 'hello?' },
  ],
});
const dotted = JSON.stringify({
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ type: 'function', function: { name: 'a.b', parameters: { type: 'object', properties: {} } } }],
});

interface Exchange {
  readonly sent: readonly string[];
  readonly reports: readonly FetchReport[];
  readonly response: Response;
}

async function exchange(body: string, options: GuardFetchOptions, answer: (sent: string) => Response): Promise<Exchange> {
  const sent: string[] = [];
  const reports: FetchReport[] = [];
  const fetch: Fetch = (_input, init) => {
    sent.push(init?.body as string);
    return Promise.resolve(answer(init?.body as string));
  };
  const response = await guardFetch(fetch, { ...options, onReport: (report) => reports.push(report) })(url, { method: 'POST', body });
  return { sent, reports, response };
}

test('without repair a request is sent unchanged and its refusal is returned; answers are still checked', async () => {
  const refusal = json({ error: { message: "An assistant message with 'tool_calls' must be followed by tool messages" } }, 400);
  const refused = await exchange(broken, { repair: false }, () => refusal);
  expect(refused.sent).toEqual([broken]);
  expect(refused.response).toBe(refusal);
  expect(refused.reports).toEqual([]);
  const answered = await exchange(broken, { repair: false }, () => json(answerOf('weather', '{"a":1}<|im_end|>')));
  expect(await answered.response.json()).toMatchObject(answerOf('weather', '{"a":1}') as object);
  expect(answered.reports.map(({ stage }) => stage)).toEqual(['answer']);
});

test('without validation an answer is the same object; requests are still repaired', async () => {
  const answer = json(answerOf('weather', '{"a":1'));
  const { sent, reports, response } = await exchange(broken, { validate: false }, () => answer);
  expect(response).toBe(answer);
  expect(sent[0]).not.toBe(broken);
  expect(reports.map(({ stage }) => stage)).toEqual(['request']);
});

test('without validation names are still mapped back, and nothing else is repaired or reported', async () => {
  const nameIn = (sent: string): string => (JSON.parse(sent) as { tools: { function: { name: string } }[] }).tools[0]?.function.name ?? '';
  const cut = '{"a":1}<|im_end|>';
  const { reports, response } = await exchange(dotted, { validate: false }, (sent) => json(answerOf(nameIn(sent), cut)));
  expect(await response.json()).toMatchObject(answerOf('a.b', cut) as object);
  expect(reports.map(({ stage, changes, problems }) => [stage, changes.map(({ rule }) => rule), problems])).toEqual([
    ['request', ['name-form'], []],
    ['answer', ['name-form'], []],
  ]);
  const stream = await exchange(dotted, { validate: false }, (sent) => {
    const call = { index: 0, id: 'c', function: { name: nameIn(sent), arguments: '{"a' } };
    const event = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'length' }] };
    return new Response(`data: ${JSON.stringify(event)}\n\n`, { headers: { 'content-type': 'text/event-stream' } });
  });
  expect(await stream.response.text()).toContain('"name":"a.b"');
  expect(stream.reports.flatMap(({ problems }) => problems)).toEqual([]);
});
