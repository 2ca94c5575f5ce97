/** Each transcript of the file: what a provider refused is refused with its message, what it accepted is accepted. */
import { describe, expect, it } from 'vitest';
import { checkRequest, type BackendProfile, type WireFormat } from '@holdfast/provider-double/rules';
import { caseOf, cases } from '../support/cases.ts';

/** Case → the essential part of the provider's message. Where `error` of the file quotes several backends, one of them. */
const refused: readonly (readonly [id: string, rule: string, words: RegExp])[] = [
  ['C01', 'missing-result', /must be followed by tool messages responding to each 'tool_call_id'.*did not have response messages: call_1$/],
  ['C02', 'missing-result', /did not have response messages: c2, c3$/],
  ['C03', 'missing-result', /did not have response messages: c1$/],
  ['C03', 'orphan-result', /messages with role 'tool' must be a response to a preceeding message with 'tool_calls'\.$/],
  ['C06', 'duplicate-result', /^Invalid parameter: Duplicate value for 'tool_call_id' of 'c1', in messages\[2\] and messages\[3\]\.$/],
  ['C14', 'name-form', /^Invalid 'messages\[1\]\.tool_calls\[0\]\.function\.name': empty string\. Expected a string with minimum length 1/],
  ['C16', 'empty-content', /^Invalid request content: Each message must have at least one content element\.$/],
  ['C18', 'arguments-form', /^Unterminated string starting at: line 1 column 12 \(char 11\)$/],
  // The rebuilt text is shorter and breaks at another place than the reported one.
  ['C19', 'arguments-form', /^Expecting ',' delimiter: line 1 column 67 \(char 66\)$/],
  ['C22', 'tool-schema', /In context=\(\), 'required' is required .* every key in properties\. Missing 'params'\.$/],
  ['C25', 'call-id-form', /^Tool call id was call_PTLP8xhu3uwZk4l3nlnrrJha but must be a-z, A-Z, 0-9, with a length of 9\.$/],
  ['C26', 'duplicate-call', /^Invalid request: tool call id write:8 is duplicated$/],
  ['C31', 'empty-messages', /^Invalid 'messages': empty array\. Expected an array with minimum length 1/],
  ['R02', 'missing-result', /^No tool output found for function call call_x\.$/],
  [
    'R03',
    'call-id-form',
    /^Invalid 'input\[1\]\.call_id': string too long\. .* maximum length 64, but got a string with length 69 instead\.$/,
  ],
  ['R04', 'item-id-form', /^Invalid 'input\[1\]\.id': 'call_x'\. Expected an ID that begins with 'fc'\.$/],
  ['R05', 'reasoning-pair', /^Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'\.$/],
  ['R10', 'duplicate-call', /^Duplicate 'call_id': undefined$/],
  ['R11', 'arguments-form', /^Missing required parameter: 'input\[1\]\.arguments'\.$/],
  ['R14', 'result-order', /^No tool output found for tool call c1$/],
  ['R16', 'item-id-form', /^Invalid 'input\[1\]\.id': ''\. Expected an ID that contains letters, numbers, underscores, or dashes/],
  ['R20', 'call-id-form', /^Missing required parameter: 'input\[2\]\.call_id'\.$/],
  [
    'A01',
    'missing-result',
    /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1, toolu_2\. Each/,
  ],
  ['A03', 'orphan-result', /^messages\.0\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1\. Each/],
  ['A04', 'duplicate-call', /^messages\.1\.content\.1: `tool_use` ids must be unique$/],
  ['A05', 'call-id-form', /^messages\.1\.content\.0\.tool_use\.id: String should match pattern '\^\[a-zA-Z0-9_-\]\+\$'$/],
  ['A08', 'empty-content', /^messages: text content blocks must be non-empty$/],
  ['A10', 'empty-content', /^messages\.1: all messages must have non-empty content except for the optional final assistant message$/],
  ['A11', 'thinking-missing', /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`\. When/],
  ['A17', 'call-order', /`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1/],
  ['A18', 'tool-name-duplicate', /^tools: Tool names must be unique\.$/],
  ['A19', 'tool-schema', /^tools\.0\.custom\.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level$/],
  ['A20', 'tool-name-form', /^tools\.0\.custom\.name: String should match pattern '\^\[a-zA-Z0-9_-\]\{1,128\}\$'$/],
  ['A25', 'thinking-forbidden', /When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`\.$/],
  ['G01', 'missing-result', /number of function response parts is equal to the number of function call parts of the function call turn\.$/],
  ['G03', 'thought-signature', /^Function call is missing a thought_signature in functionCall parts/],
  ['G04', 'call-order', /function call turn comes immediately after a user turn or after a function response turn\.$/],
  ['G06', 'name-form', /function_response\.name: Name cannot be empty\.$/],
  ['G08', 'thought-signature', /Additional data, function call `default_api:a` , position 2\.$/],
  ['G12', 'tool-count', /tools\[0\]\.function_declarations: \[FIELD_INVALID\] At most 512 function declarations can be specified\.$/],
  [
    'B01',
    'orphan-result',
    /^The number of toolResult blocks at messages\.2\.content exceeds the number of toolUse blocks of previous turn\.$/,
  ],
  ['B03', 'missing-result', /^Expected toolResult blocks at messages\.2\.content for the following Ids: tooluse_B$/],
  ['B04', 'duplicate-call', /^The toolUse blocks at messages\.1\.content contain duplicate Ids: http_request$/],
  ['B06', 'tools-missing', /^The toolConfig field must be defined when using toolUse and toolResult content blocks\.$/],
  ['B07', 'arguments-form', /^The format of the value at messages\.1\.content\.0\.toolUse\.input is invalid\. Provide a json object/],
  ['B10', 'mixed-turn', /^Conversation blocks and tool result blocks cannot be provided in the same turn$/],
  ['B14', 'conversation-start', /^A conversation must start with a user message\./],
  // Not a provider: AI SDK accepts it, and each of its adapters sends something else.
  ['V08', 'arguments-form', /input of tool call 1 is not an object/],
];

const accepted: readonly string[] = ['C27', 'N02', 'N03', 'N05'];

/** Cases that are not requests: other tests cover them. */
const otherCases: readonly string[] = ['C28', 'G10', 'G18', 'V03', 'V04', 'S01', 'S02', 'S05', 'S08'];

const problemsOf = (id: string): ReturnType<typeof checkRequest> => {
  const { format, profile, request, body } = caseOf(id);
  return checkRequest({
    format: format as WireFormat,
    ...(profile === undefined ? {} : { profile: profile as BackendProfile }),
    request: request ?? body,
  });
};

describe('transcripts that were refused', () => {
  it.each(refused)('%s: %s', (id, rule, words) => {
    const matching = problemsOf(id).filter((problem) => problem.rule === rule && words.test(problem.message));
    expect(matching, JSON.stringify(problemsOf(id))).not.toHaveLength(0);
  });

  it.each(refused)('%s has the message of the provider itself, not of another rule', (id, _rule, _words) => {
    const first = problemsOf(id)[0]?.message ?? '';
    expect(
      refused.some(([other, , words]) => other === id && words.test(first)),
      first,
    ).toBe(true);
  });
});

describe('similar transcripts that were accepted', () => {
  it.each(accepted)('%s', (id) => {
    expect(problemsOf(id)).toEqual([]);
  });
});

it('every case of the file is in one of the tables', () => {
  const known = new Set([...refused.map(([id]) => id), ...accepted, ...otherCases]);
  expect(cases.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([]);
  expect(cases).toHaveLength(60);
});

it('V03: AI SDK rejects a message that JSON cannot represent', () => {
  const { messages } = caseOf('V03').body as { messages: { role: string; content: unknown }[] };
  const output = { type: 'json', value: { at: new Date(0) } };
  const broken = messages.map((message) =>
    message.role === 'tool' ? { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 't', output }] } : message,
  );
  expect(checkRequest({ format: 'ai-sdk', request: { messages } })).toEqual([]);
  expect(checkRequest({ format: 'ai-sdk', request: { messages: broken } })[0]?.message).toBe(
    'Invalid prompt: The messages must be a ModelMessage[].',
  );
});
