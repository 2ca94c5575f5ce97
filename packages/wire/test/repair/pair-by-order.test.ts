/** Results and calls without ids: by name, then by order, and only if that is certain. */
import { repair } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

const ask = { role: 'user', parts: [{ text: 'go' }] };
const made = (...names: readonly string[]) => ({
  role: 'model',
  parts: names.map((name, index) => ({ functionCall: { name, args: { index } } })),
});
const came = (...results: readonly (readonly [string, string])[]) => ({
  role: 'user',
  parts: results.map(([name, output]) => ({ functionResponse: { name, response: { output } } })),
});
const none = 'Tool call was not completed: no result was recorded. It may or may not have run.';
const placeholder = (name: string) => ({ role: 'user', parts: [{ functionResponse: { name, response: { error: none } } }] });

function gemini(...contents: readonly object[]) {
  const { request, changes } = repair({ contents }, { format: 'gemini' });
  const results = (request.contents as readonly { readonly parts: readonly Record<string, never>[] }[]).flatMap(({ parts }) =>
    parts.flatMap(({ functionResponse: body }: { functionResponse?: { name: string; response: Record<string, string> } }) =>
      body ? [`${body.name}: ${body.response['output'] ?? 'none'}`] : [],
    ),
  );
  return { results, rules: changes.map(({ rule }) => rule), request };
}

describe('by name', () => {
  test('in any order, directly behind the calls', () => {
    const { results, request } = gemini(ask, made('a', 'b'), came(['b', '2'], ['a', '1']));
    expect(results).toEqual(['b: 2', 'a: 1']);
    expect(repair(request, { format: 'gemini' }).request).toBe(request);
  });

  test('calls of one tool take their results in order, if there is one for each', () => {
    expect(gemini(ask, made('a', 'a'), came(['a', '1'], ['a', '2'])).results).toEqual(['a: 1', 'a: 2']);
    const { results, rules } = gemini(ask, made('a', 'a'), came(['a', '1']));
    expect(results).toEqual(['a: none', 'a: none']);
    expect(rules).toContain('uncertain-result');
  });

  test('a result that is repeated is that of one call', () => {
    expect(gemini(ask, made('a', 'a'), came(['a', '1'], ['a', '1'], ['a', '2'])).results).toEqual(['a: 1', 'a: 2']);
    expect(gemini(ask, made('a', 'a'), came(['a', '2'], ['a', '1'], ['a', '2'])).results).toEqual(['a: none', 'a: none']);
  });

  test('a call without a name takes the result at its place, if the others agree, and its name', () => {
    const { results, request } = gemini(ask, made('', 'a'), came(['a', '1'], ['a', '2']));
    expect(results).toEqual(['a: 1', 'a: 2']);
    expect(request.contents[1]).toEqual(made('a', 'a'));
    expect(repair(request, { format: 'gemini' }).request).toBe(request);
    expect(gemini(ask, made('', 'a'), came(['a', '1'], ['a', '1'])).results).toEqual(['a: 1', 'a: 1']);
    expect(gemini(ask, made('', 'a'), came(['a', '1'], ['b', '2'])).results).toEqual(['a: 1', 'b: 2']);
    expect(gemini(ask, made('', 'a'), came(['', '1'], ['a', '2'])).results).toEqual(['unknown_tool: 1', 'a: 2']);
  });

  test('an invalid name of a result is that of the call that has none', () => {
    const { results, request } = gemini(ask, made('a', ''), came(['a.b c', '1'], ['a', '2']));
    const [other = ''] = results;
    expect(results).toEqual([expect.stringMatching(/^a_b_c_\w{8}: 1$/), 'a: 2']);
    expect(request.contents[1]).toEqual(made('a', other.split(':')[0] ?? ''));
    expect(repair(request, { format: 'gemini' }).request).toBe(request);
  });

  test('a late one belongs to the only call without a result', () => {
    const between = [ask, made('b'), came(['b', '2']), ask];
    expect(gemini(ask, made('a'), ...between, came(['a', '1'])).results).toEqual(['a: 1', 'b: 2']);
    expect(gemini(ask, made('a'), placeholder('a'), ...between, came(['a', '1'])).results).toEqual(['a: 1', 'b: 2']);
    expect(gemini(ask, made('a'), ask, made('a'), ask, came(['a', '?'])).results).toEqual(['a: none', 'a: none']);
  });
});

describe('by order', () => {
  const asked = { role: 'user', content: 'go' };
  const use = (name: string, id?: string) => ({ type: 'tool_use', ...(id ? { id } : {}), name, input: {} });
  const result = (content: string, id?: string) => ({ type: 'tool_result', ...(id ? { tool_use_id: id } : {}), content });
  const claude = (uses: readonly object[], results: readonly object[]) =>
    JSON.stringify(
      repair(
        { messages: [asked, { role: 'assistant', content: uses }, { role: 'user', content: results }] },
        { format: 'anthropic-messages' },
      ).request,
    );

  test('if there are as many results as calls', () => {
    expect(claude([use('a'), use('b')], [result('1'), result('2')])).toMatch(/"1".*"2"/);
    expect(claude([use('a'), use('b')], [result('1')])).not.toContain('"1"');
  });

  test('if some results have no name, and the order contradicts no other name', () => {
    expect(gemini(ask, made('a', 'a', 'a'), came(['a', '1'], ['', '2'], ['a', '3'])).results).toEqual(['a: 1', 'a: 2', 'a: 3']);
    expect(gemini(ask, made('a', 'b'), came(['', '2'], ['a', '1'])).results).toEqual(['b: 2', 'a: 1']);
    expect(gemini(ask, made('a', 'a', 'a'), came(['a', '?'], ['', '?'])).results).toEqual(['a: none', 'a: none', 'a: none']);
  });

  test('not if one result without a name is too many', () => {
    expect(gemini(ask, made('b', 'a', 'a'), came(['b', '?'], ['a', '2'], ['a', '1'], ['', '2'])).results).toEqual([
      'b: ?',
      'a: none',
      'a: none',
    ]);
    expect(gemini(ask, made('b', 'a'), came(['b', '1'], ['a', '2'], ['', '2'])).results).toEqual(['b: 1', 'a: 2']);
  });

  test('what has an id first', () => {
    expect(claude([use('a', 'x'), use('b', 'y')], [result('1', 'y'), result('2')])).toMatch(/"2".*"1"|"1".*"2"/);
    expect(claude([use('a', 'x')], [result('of another call', 'z')])).not.toContain('of another call');
  });
});
