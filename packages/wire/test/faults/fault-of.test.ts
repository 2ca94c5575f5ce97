/** The message of a provider is mapped to the broken rule, and to the responsible part. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultOf, rules } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

interface Spoken {
  readonly id: string;
  readonly rule?: string;
  readonly error?: string;
}

const spokenIn = (file: string): readonly Spoken[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../provider-double/test/transcripts', file), 'utf8')) as readonly Spoken[];

const spoken = spokenIn('cases.json').filter(({ error }) => error !== undefined);

/** Texts that are not from a provider. */
const silent: ReadonlySet<string> = new Set(['R20', 'G10', 'V08', 'S01', 'S02', 'S05', 'S08']);
const definitions: ReadonlySet<string> = new Set(['C22', 'A18', 'A19', 'A20', 'G12', 'G18']);

describe('the corpus', () => {
  test.each(spoken.filter(({ id }) => !silent.has(id)))('$id', ({ id, error }) => {
    const fault = faultOf(error);
    expect(Object.keys(rules)).toContain(fault?.rule);
    expect(fault?.kind).toBe(id === 'C28' ? 'model' : definitions.has(id) ? 'definition' : 'history');
  });

  test.each(spoken.filter(({ id }) => silent.has(id)))('$id has no rule', ({ error }) => {
    expect(faultOf(error)).toBeUndefined();
  });
});

describe('provider rules', () => {
  /** A sentence that says nothing, and one that is the same for definitions and for the transcript. */
  const vague = { nothing: 'G47', history: 'C73' };
  const ruleCases = spokenIn('provider-rules.json');

  test.each(ruleCases.filter(({ id }) => id !== vague.nothing))('$id ($rule)', ({ id, rule, error }) => {
    const fault = faultOf(error);
    expect(Object.keys(rules)).toContain(fault?.rule);
    const isDefinition = id !== vague.history && (rule?.startsWith('tool-') === true || ['G54', 'G55'].includes(id));
    expect(fault?.kind).toBe(isDefinition ? 'definition' : 'history');
  });

  test('a sentence that says nothing has no rule', () => {
    expect(faultOf(ruleCases.find(({ id }) => id === vague.nothing)?.error)).toBeUndefined();
  });
});

test('one message of each kind', () => {
  const said: readonly (readonly [string, string])[] = [
    ["Duplicate value for 'tool_call_id' of 'c1', in messages[2] and messages[3].", 'duplicate-result'],
    ["Unexpected role 'user' after role 'tool'", 'role-order'],
    ['Not the same number of function calls and responses', 'role-order'],
    ['messages.1.content.1: `tool_use` ids must be unique', 'call-id-duplicate'],
    ['Duplicate item found with id fc_1. Remove duplicate items from your input and try again.', 'item-id'],
    ["Invalid 'messages[1].tool_calls': empty array.", 'empty-calls'],
    ['each tool_use must have a single result. Found multiple `tool_result` blocks with id: x', 'duplicate-result'],
    ["This model doesn't support the status field. Remove status and try again.", 'status-field'],
    ['The `reasoning_content` in the thinking mode must be passed back to the API.', 'reasoning-content'],
    ['functionResponse.id "b" does not match functionCall.id "a"', 'result-place'],
    ['The request body is not valid JSON: no low surrogate in string: line 1 column 5', 'unicode'],
    ["Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.", 'tool-choice'],
    ['invalid params, tool call result does not follow tool call (2013)', 'missing-result'],
    ['unexpected `tool_use_id` found in `web_search_tool_result` blocks: x', 'server-tool-pair'],
  ];
  for (const [text, rule] of said) expect([text, faultOf(text)?.rule]).toEqual([text, rule]);
});

test('reads client errors and response bodies, and ignores other values', () => {
  const words = 'No tool output found for function call call_x.';
  expect(faultOf(Object.assign(new Error('400'), { error: { error: { message: words } } }))?.rule).toBe('missing-result');
  expect(faultOf({ responseBody: JSON.stringify({ error: { message: words } }) })?.rule).toBe('missing-result');
  expect(faultOf(new Error('failed', { cause: new Error(words) }))?.rule).toBe('missing-result');
  expect(faultOf({ status: 400, code: 'tool_use_failed', failed_generation: 'x' })?.kind).toBe('model');
  expect(faultOf({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] })?.kind).toBe('model');
  for (const other of [undefined, null, 5, new Error('429 Too Many Requests'), new Error('socket hang up')])
    expect(faultOf(other)).toBeUndefined();
});
