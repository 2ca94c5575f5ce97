/** Blocks of Bedrock whose call or result is no object. */
import { checkRequest } from '@holdfast/provider-double/rules';
import { repair } from '@holdfast/wire';
import { expect, test } from 'vitest';

const format = 'bedrock-converse';
const toolConfig = { tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }] };
const asked = { role: 'user', content: [{ text: 'go' }] };
const result = { toolResult: { toolUseId: 'a', content: [{ text: 'sunny' }] } };
const call = { toolUse: { toolUseId: 'a', name: 'weather', input: {} } };
const at = (called: unknown, answered: unknown) =>
  repair(
    { modelId: 'x', toolConfig, messages: [asked, { role: 'assistant', content: [called] }, { role: 'user', content: [answered] }] },
    { format },
  );

test.each([null, 'weather', 0, []])('a call that is %j becomes a call of an unknown tool with the result behind it', (toolUse) => {
  const { request, problems } = at({ toolUse }, result);
  expect(problems).toEqual([]);
  expect(checkRequest({ format, request })).toEqual([]);
  expect(request.messages[1]?.content).toMatchObject([
    { toolUse: { name: 'unknown_tool', toolUseId: expect.stringMatching(/^tooluse_/) } },
  ]);
  expect(JSON.stringify(request.messages[2])).toContain('sunny');
});

test.each([null, 'sunny', 0, []])('a result that is %j becomes one with the id of its call', (toolResult) => {
  const { request, problems } = at(call, { toolResult });
  expect(problems).toEqual([]);
  expect(checkRequest({ format, request })).toEqual([]);
  expect(request.messages[2]?.content).toMatchObject([{ toolResult: { toolUseId: 'a' } }]);
});

test('a block with another part is not touched', () => {
  const { changes } = at({ text: 'I see.', toolUse: undefined }, { text: 'go on' });
  expect(changes).toEqual([]);
});
