import { describe, expect, it } from 'vitest';
import { describeSignature } from '../../../src/agent/loop/tool-signature.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { brokenProxy } from '../../support/hostile-values.ts';
import { modelCall, runBench } from './support.ts';

describe('the signature of a tool', () => {
  it.each([
    [
      {
        properties: { symbol: { type: 'string' }, range: { enum: ['1d', 5] }, tags: { type: 'array', items: { type: 'string' } } },
        required: ['symbol'],
      },
      'symbol: string, range?: "1d" | 5, tags?: array of string',
    ],
    [{ properties: { a: { type: ['string', 'null'] }, b: {}, c: true, d: { const: 1 } } }, 'a?: string | null, b?: any, c?: any, d?: 1'],
    [
      { properties: Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`p${index}`, { type: 'number' }])) },
      /p11\?: number, and 2 more$/,
    ],
    [{ properties: { a: { enum: Array.from({ length: 9 }, (_, index) => index) } } }, 'a?: one of a list'],
    [{ properties: { ['x'.repeat(500)]: {} } }, undefined],
    [{ properties: {} }, undefined],
    [{ type: 'object' }, undefined],
    [undefined, undefined],
    [brokenProxy() as never, undefined],
  ])('%# fits in one line or is undefined', (schema, expected) => {
    const text = describeSignature(schema);
    expect(expected instanceof RegExp ? expected.test(text ?? '') : text === expected, text).toBe(true);
  });

  it('is part of the answer to invalid arguments; an unknown name is answered with the names of the tools', async () => {
    const tool = defineTool({
      name: 'quote',
      input: { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] },
      run: () => 1,
    });
    const { texts } = runBench([tool]);
    expect(await texts(modelCall('quote', { ticker: 'ACME' }), modelCall('quotes'))).toEqual([
      [
        "Error INVALID_ARGUMENTS: Required parameter 'symbol' missing",
        'Next: Correct the arguments of quote as the error says and call it again.',
        'quote takes: symbol: string',
        'This was attempt 1 of 3.',
      ].join('\n'),
      "Error UNKNOWN_TOOL: Unknown tool: quotes. Did you mean 'quote'?\nNext: Call only these tools: quote.",
    ]);
  });
});
