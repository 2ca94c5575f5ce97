/** A tool configuration without tools: created from the transcript if it has calls, reported if it has none. */
import { repair } from '@holdfast/wire';
import { expect, test } from 'vitest';

const asked = { role: 'user', content: [{ text: 'go' }] };
const used = [
  { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 't', input: {} } }] },
  { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ text: 'ok' }] } }] },
];
const at = (messages: readonly object[], toolConfig: unknown) =>
  repair({ modelId: 'anthropic.claude-3', messages, toolConfig }, { format: 'bedrock-converse' });

test.each([{}, { toolChoice: { auto: {} } }, { tools: null }])('%j is reported', (config) => {
  expect(at([asked], config).problems).toMatchObject([{ rule: 'tool-shape', path: 'toolConfig.tools' }]);
  expect(at([asked], config).changes).toEqual([]);
});

test('a transcript with calls gets the tools that it names', () => {
  const { problems, changes } = at([asked, ...used], { toolChoice: { auto: {} } });
  expect(problems).toEqual([]);
  expect(changes.map(({ rule }) => rule)).toEqual(['tools-missing']);
});

test('no configuration is no problem', () => {
  expect(at([asked], undefined).problems).toEqual([]);
  expect(at([asked], null).problems).toEqual([]);
});
