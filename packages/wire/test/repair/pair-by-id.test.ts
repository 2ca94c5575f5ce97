/** Results and calls with ids: numbers, ids that are used again, results of other tools, late and early results. */
import { repair } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

const asked = { role: 'user', content: 'go' };
const call = (id: unknown, name = 't', text = '{}') => ({ id, type: 'function', function: { name, arguments: text } });
const calls = (...list: readonly object[]) => ({ role: 'assistant', content: null, tool_calls: list });
const result = (id: unknown, content: unknown = 'ok') => ({ role: 'tool', tool_call_id: id, content });
const none = 'Tool call was not completed: no result was recorded. It may or may not have run.';
const chat = (...messages: readonly object[]) => repair({ model: 'm', messages }, { format: 'openai-chat' });

interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id?: unknown;
  readonly tool_calls?: readonly { readonly id: unknown; readonly function: { readonly name: string } }[];
}

/** The content of the result of each call, by the arguments' or the tool's name. */
function answers(request: { readonly messages: readonly object[] }): readonly (readonly [string, unknown])[] {
  const found: [string, unknown][] = [];
  let open: Message['tool_calls'] = [];
  for (const { tool_calls: made, tool_call_id: id, content } of request.messages as readonly Message[]) {
    if (made) open = made;
    const own = id === undefined ? undefined : open.find((each) => each.id === id);
    if (own) found.push([own.function.name, content]);
  }
  return found;
}

describe('ids', () => {
  test('a result that is repeated without its name is one result', () => {
    const { request } = chat(
      asked,
      calls(call('a', 'read'), call('b', 'pay')),
      result('a', 'FILE'),
      { ...result('b', 'PAID'), name: 'pay' },
      result('b', 'PAID'),
    );
    expect(answers(request)).toEqual([
      ['read', 'FILE'],
      ['pay', 'PAID'],
    ]);
    const reused = [calls(call('0', 'read')), result('0', 'R1'), calls(call('0', 'read')), result('0', 'R2')];
    const repeated = [
      calls(call('c', 'look'), call('b', 'pay')),
      result('c', 'R3'),
      { ...result(' b ', 'PAID'), name: 'pay' },
      result('b', 'PAID'),
    ];
    expect(answers(chat(asked, ...repeated, ...reused).request)).toEqual([
      ['look', 'R3'],
      ['pay', 'PAID'],
      ['read', 'R1'],
      ['read', 'R2'],
    ]);
  });

  test('that are used again: a later result with a name does not take the place of the one without directly behind its call', () => {
    const named = (id: string, name: string, content: string) => ({ ...result(id, content), name });
    const { request } = chat(
      asked,
      calls(call('0', 'read')),
      result('0', 'R1'),
      calls(call('0', 'look')),
      named('0', 'look', 'R2'),
      calls(call('', 'read')),
      named('0', 'read', 'R3'),
      calls(call('0', 'read')),
      named('0', 'read', 'R4'),
    );
    expect(answers(request)).toEqual([
      ['read', 'R1'],
      ['look', 'R2'],
      ['read', none],
      ['read', 'R4'],
    ]);
  });

  test('numbers are compared as text, and sent as text', () => {
    const { request, changes } = chat(asked, calls(call(1, 'read_file'), call(2, 'pay')), result(2, 'PAID'), result('1', 'FILE'));
    expect(answers(request)).toEqual([
      ['pay', 'PAID'],
      ['read_file', 'FILE'],
    ]);
    expect(JSON.stringify(request)).not.toMatch(/id":\d/);
    expect(new Set(changes.map(({ rule }) => rule))).toEqual(new Set(['call-id-form']));
  });

  test('blanks and line breaks around an id do not separate a result from its call', () => {
    const { request, changes } = chat(asked, calls(call('x', 'first'), call('y', 'second')), result(' y', 'B'), asked, result('x\n', 'A'));
    expect(answers(request)).toEqual([
      ['first', 'A'],
      ['second', 'B'],
    ]);
    expect(changes.map(({ rule, after }) => [rule, after])).toContainEqual(['result-id', 'y']);
  });

  test('blanks in ids are no reason to change them, nor to mistake one call for another', () => {
    const request = { model: 'm', messages: [asked, calls(call(' x', 'first')), result(' x', 'A')] };
    expect(repair(request, { format: 'openai-chat' }).request).toBe(request);
    const two = chat(asked, calls(call('x ', 'first'), call(' x', 'second')), result('x', '?'));
    expect(answers(two.request)).toEqual([
      ['first', none],
      ['second', none],
    ]);
  });

  test('two results of an id that two calls of one message have are not paired in order if one came late', () => {
    const twice = calls(call('x', 'first', '{"a":1}'), call('x', 'second', '{"a":2}'));
    expect(answers(chat(asked, twice, result('x', 'A'), result('x', 'B')).request).map(([, content]) => content)).toEqual(['A', 'B']);
    const late = chat(asked, twice, result('x', 'B'), asked, result('x', 'A'));
    expect(answers(late.request).map(([, content]) => content)).toEqual([none, none]);
    expect(late.changes.map(({ rule }) => rule)).toContain('uncertain-result');
  });

  test('of two results of one id the first is used if calls behind it were lost', () => {
    const { request } = chat(asked, calls(call('c_0', 'read')), result('c_0', 'A'), result('c_0', 'B'), result('c_1', 'C'));
    expect(answers(request)).toEqual([['read', 'A']]);
  });

  test('an id of a call that is gone is not given to a call with another one', () => {
    const { request } = chat(asked, calls(call(7, 'pay')), result('call_1', 'of a call that is gone'));
    expect(answers(request)).toEqual([['pay', none]]);
  });

  test('an id that is used again belongs to the nearest call before', () => {
    const { request } = chat(asked, calls(call('x', 'first')), calls(call('x', 'second')), result('x', 'B'));
    expect(answers(request)).toEqual([
      ['first', none],
      ['second', 'B'],
    ]);
  });

  test('one result for each call of the id is paired in order', () => {
    const { request } = chat(asked, calls(call('x', 'first')), calls(call('x', 'second')), result('x', 'A'), result('x', 'B'));
    expect(answers(request)).toEqual([
      ['first', 'A'],
      ['second', 'B'],
    ]);
  });

  test('a second, different result of a later call is not given to an earlier one of the same id', () => {
    const { request, changes } = chat(
      asked,
      calls(call('x', 'first')),
      asked,
      calls(call('x', 'second')),
      result('x', 'A'),
      result('x', 'B'),
    );
    expect(JSON.stringify(request)).not.toMatch(/"[AB]"/);
    expect(changes.filter(({ rule }) => rule === 'uncertain-result')).toHaveLength(2);
  });

  test('of an id that is used twice in one message, one result is not given to either call', () => {
    const { request, changes } = chat(asked, calls(call('x', 't', '{"n":1}'), call('x', 't', '{"n":2}')), result('x', 'A'));
    expect(JSON.stringify(request)).not.toContain('"A"');
    expect(changes.map(({ rule }) => rule)).toContain('uncertain-result');
  });

  test('in Responses it is given to the last of them, unless a result beside it has the id of no call', () => {
    const item = (n: number) => ({ type: 'function_call', call_id: 'x', name: 't', arguments: JSON.stringify({ n }) });
    const output = (id: string, text: string) => ({ type: 'function_call_output', call_id: id, output: text });
    const repaired = (...outputs: readonly object[]) =>
      repair({ input: [asked, item(1), item(2), ...outputs] }, { format: 'openai-responses' });
    expect(JSON.stringify(repaired(output('x', 'A')).request)).toContain('"A"');
    const { request, changes } = repaired(output('x', 'A'), output('z', 'B'));
    expect(JSON.stringify(request)).not.toMatch(/"A"|"B"/);
    expect(changes.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['uncertain-result', 'orphan-result']));
  });
});

describe('late and early results', () => {
  test('a real result replaces a placeholder, wherever it comes', () => {
    const { request, changes } = chat(
      asked,
      calls(call('a')),
      result('a', none),
      asked,
      { role: 'assistant', content: 'ok' },
      result('a', 'real'),
    );
    expect(request.messages.map((message) => (message as Message).content)).toEqual(['go', null, 'real', 'go', 'ok']);
    expect(changes.map(({ rule, action }) => [rule, action])).toEqual([
      ['duplicate-result', 'removed'],
      ['result-place', 'moved'],
    ]);
    expect(repair(request, { format: 'openai-chat' }).request).toBe(request);
  });

  test('a placeholder that another program has wrapped is one, a string that quotes it is not', () => {
    const wrapped = chat(asked, calls(call('a')), result('a', JSON.stringify({ error: none })), asked, result('a', 'real')).request;
    expect(answers(wrapped)).toEqual([['t', 'real']]);
    const quoted = `The log says: "${none}" That was all.`;
    expect(answers(chat(asked, calls(call('a')), result('a', quoted), asked, result('a', 'other')).request)).toEqual([['t', quoted]]);
  });

  test('in Responses it takes the place of the placeholder', () => {
    const item = { type: 'function_call', call_id: 'a', name: 't', arguments: '{}' };
    const output = (text: string) => ({ type: 'function_call_output', call_id: 'a', output: text });
    const { request } = repair({ input: [asked, item, output(none), asked, output('real')] }, { format: 'openai-responses' });
    expect(request.input).toEqual([asked, item, output('real'), asked]);
    const late = { input: [asked, item, asked, output('real')] };
    expect(repair(late, { format: 'openai-responses' }).request).toBe(late);
  });

  test('where ids are used again, an early result is not kept for a later call', () => {
    const { request, changes } = chat(
      result('x', 'old'),
      asked,
      calls(call('y')),
      result('y', '1'),
      asked,
      calls(call('y')),
      result('y', '2'),
      calls(call('x')),
    );
    expect(JSON.stringify(request)).not.toContain('"old"');
    expect(changes.map(({ rule }) => rule)).toContain('orphan-result');
  });
});

describe('results of other tools', () => {
  const ask = { role: 'user', parts: [{ text: 'go' }] };
  const made = (name: string, id?: string) => ({ role: 'model', parts: [{ functionCall: { ...(id ? { id } : {}), name, args: {} } }] });
  const came = (name: string, output: string, id?: string) => ({
    role: 'user',
    parts: [{ functionResponse: { ...(id ? { id } : {}), name, response: { output } } }],
  });
  const gemini = (...contents: readonly object[]) => JSON.stringify(repair({ contents }, { format: 'gemini' }).request.contents);

  test('are never renamed, with or without an id', () => {
    expect(gemini(ask, made('pay'), came('calendar', 'of calendar'))).not.toContain('of calendar');
    expect(gemini(ask, made('pay', 'a'), came('calendar', 'of calendar', 'a'))).not.toContain('of calendar');
  });

  test('are still those of the tool if only its name is written differently', () => {
    expect(gemini(ask, made('default_api:shell', 'a'), came('shell', 'mine', 'a'))).toContain('mine');
    expect(gemini(ask, made('a.b', 'a'), came('a_b', 'mine', 'a'))).toContain('mine');
  });
});

describe('names of Chat Completions, beside an id', () => {
  const named = (id: unknown, name: string, content: string) => ({ ...result(id, content), name });
  const ask = calls(call('x', 'pay'), call('y', 'calendar'));

  test('a result that names another tool is neither paired nor renamed', () => {
    const { request, changes } = chat(asked, ask, named('x', 'calendar', 'of calendar'), named('y', 'calendar', 'Monday'));
    expect(answers(request)).toEqual([
      ['pay', none],
      ['calendar', 'Monday'],
    ]);
    expect(changes.map(({ rule }) => rule)).toContain('orphan-result');
    expect(JSON.stringify(request)).not.toContain('of calendar');
  });

  test('a tool that is only defined is another tool, too', () => {
    const tools = [{ type: 'function', function: { name: 'search', parameters: {} } }];
    const messages = [asked, calls(call('x', 'pay')), named('x', 'search', 'found')];
    const { request } = repair({ model: 'm', tools, messages }, { format: 'openai-chat' });
    expect(answers(request)).toEqual([['pay', none]]);
  });

  test.each(['pay', 'tool', 'research_agent'])('%s says nothing against the id', (name) => {
    const request = { model: 'm', messages: [asked, calls(call('x', 'pay')), named('x', name, 'PAID')] };
    expect(repair(request, { format: 'openai-chat' }).request).toBe(request);
  });

  test('the name that a call had before it was renamed is still its own', () => {
    const first = chat(asked, calls(call('x', 'browser.tabs.open')), named('x', 'browser.tabs.open', 'done'));
    expect(first.request.messages).toHaveLength(3);
    expect(JSON.stringify(first.request)).toContain('done');
    expect(repair(first.request, { format: 'openai-chat' }).request).toBe(first.request);
  });
});
