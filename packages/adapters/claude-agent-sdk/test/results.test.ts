import { expect, test } from 'vitest';
import { throwIfError } from '../src/results.ts';
import { reliableTools, tool } from '@holdfast/claude-agent-sdk';
import { text } from './support/stage.ts';

const circle: Record<string, unknown> = { type: 'text', text: 'round' };
circle['self'] = circle;

async function told(output: unknown): Promise<unknown> {
  const own = tool('own', 'O', {}, async () => output as never);
  const run = reliableTools([own], { policy: { retry: { maxAttempts: 1 } } }).startRun();
  return run.tools[0]?.handler({}, {});
}

test.each([
  [undefined, text('(Done. The tool returned no output.)')],
  ['words', text('words')],
  [12n, text('12')],
  [{ deg: 4 }, text('{"deg":4}')],
  [{ content: 5 }, text('{"content":5}')],
  [{ content: [undefined] }, text('{"content":[null]}')],
  // What the SDK can read is its own, or a copy of what JSON can represent.
  [{ content: [{ type: 'text', text: 12n }] }, text('12')],
  [{ content: [circle] }, { content: [{ type: 'text', text: 'round', self: '[circular]' }] }],
])('an output that is no result becomes one: case %#', async (output, expected) => {
  expect(await told(output)).toEqual(expected);
});

test.each([
  [{ content: [] }],
  [{ structuredContent: { deg: 4 } }],
  [{ ...text('seen'), _meta: { a: 1 } }],
  [{ content: [{ type: 'new_type', data: 1 }] }],
])('a result is passed on by reference: case %#', async (output) => {
  expect(await told(output)).toBe(output);
});

test('an error result keeps what is no text', async () => {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  const output = {
    content: [undefined, { type: 'text', text: 'Seat 12A is taken' }, image],
    structuredContent: { seat: '12A' },
    _meta: { a: 1 },
    isError: true,
  };
  expect(() => throwIfError(output)).toThrow('Seat 12A is taken');
  expect(() => throwIfError({ isError: true })).toThrow('without an error message');
  expect(await told(output)).toEqual({
    content: [{ type: 'text', text: expect.stringContaining('Seat 12A is taken') as string }, image],
    structuredContent: { seat: '12A' },
    _meta: { a: 1 },
    isError: true,
  });
});
