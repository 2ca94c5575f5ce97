/** Valid requests that resemble broken ones: none is changed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkRequest, type WireFormat } from '@holdfast/provider-double/rules';
import { repair, validate, type Format } from '@holdfast/wire';
import { expect, test } from 'vitest';

interface LookAlike {
  readonly title: string;
  readonly format: Format;
  readonly profile?: 'openai' | 'deepseek' | 'mistral' | 'kimi' | 'vllm';
  readonly request: Readonly<Record<string, unknown>>;
  /** The double has no state. */
  readonly unjudged?: true;
}

const binary: LookAlike = {
  title: 'binary data in a result',
  format: 'bedrock-converse',
  request: {
    modelId: 'anthropic.claude-3-5-sonnet',
    toolConfig: { tools: [{ toolSpec: { name: 't', inputSchema: { json: { type: 'object' } } } }] },
    messages: [
      { role: 'user', content: [{ text: 'a' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: '1', name: 't', input: {} } }] },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: '1', content: [{ image: { format: 'png', source: { bytes: new Uint8Array([1]) } } }] } },
          { text: 'b' },
        ],
      },
    ],
  },
};

const file = join(import.meta.dirname, '../fixtures/look-alikes.json');
const lookAlikes = [...(JSON.parse(readFileSync(file, 'utf8')) as readonly LookAlike[]), binary];

test.each(lookAlikes)('$format: $title', ({ format, profile, request, unjudged }) => {
  const { request: same, changes, problems } = repair(request, { format, profile });
  expect(changes).toEqual([]);
  expect(problems).toEqual([]);
  expect(same).toBe(request);
  expect(validate(request, { format, profile }).valid).toBe(true);
  const refused = unjudged ? [] : checkRequest({ format: format as WireFormat, ...(profile ? { profile } : {}), request });
  expect(refused).toEqual([]);
});
