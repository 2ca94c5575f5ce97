/** The base of adapters whose framework parses and checks the arguments. */
import { createReliability, ParsedReliable, Reliable } from '@holdfast/adapter-kit';
import type { FrameworkTool } from '@holdfast/adapter-kit';
import { expect, it } from 'vitest';

const input = { type: 'object', properties: { seats: { type: 'integer', maximum: 9 } } };
const kindOf: FrameworkTool = { name: 'kind', run: (args: unknown) => typeof args };
const book: FrameworkTool = { name: 'book', input, run: () => 'booked' };

async function answerOf(reliable: ParsedReliable, toolName: string, args: unknown): Promise<string | undefined> {
  const [answer] = await reliable.answer(reliable.startRun(), [{ toolName, callId: 'c1', arguments: args }]);
  return answer?.text;
}

it('uses the arguments as they are, also text and with a reader in the options', async () => {
  const readArguments = (): never => {
    throw new Error('nothing is left to read');
  };
  expect(await answerOf(new ParsedReliable([kindOf], { readArguments }), 'kind', '{"seats":1}')).toBe('string');
  expect(await answerOf(new Reliable([kindOf]), 'kind', '{"seats":1}')).toBe('object');
});

it('reads them with the reader that an adapter chooses, which gets the one of the options', async () => {
  const own = () => ({ ok: true as const, value: 1, repairs: [] });
  const readerOf = (given: unknown) => () => ({ ok: true as const, value: given === own, repairs: [] });
  expect(await answerOf(new ParsedReliable([kindOf], { readArguments: own }, { readerOf }), 'kind', '{}')).toBe('boolean');
});

it('checks the basics of a JSON Schema, and all of it with the checker of Reliable or of the options', async () => {
  const issue = [{ path: ['seats'], message: 'too many' }];
  for (const options of [{}, { reliability: createReliability() }]) {
    expect(await answerOf(new ParsedReliable([book], options), 'book', { seats: 12 })).toBe('booked');
    expect(await answerOf(new ParsedReliable([book], options), 'book', { seats: 'x' })).toContain('INVALID_ARGUMENTS');
    expect(await answerOf(new Reliable([book], options), 'book', { seats: 9 })).toBe('booked');
    expect(await answerOf(new Reliable([book], options), 'book', { seats: 12 })).toContain('must be 9 or less');
  }
  const jsonSchema = () => () => issue;
  expect(await answerOf(new ParsedReliable([book], { jsonSchema }), 'book', { seats: 1 })).toContain('too many');
  expect(await answerOf(new ParsedReliable([book], { reliability: createReliability({ jsonSchema }) }), 'book', { seats: 1 })).toContain(
    'INVALID_ARGUMENTS',
  );
});

it('accepts settings for tools that appear later', () => {
  const options = { tools: { later: { timeoutMs: 5 } } };
  expect(() => new ParsedReliable([book], options)).toThrow("settings for 'later'");
  expect(new ParsedReliable([book], { policy: { timeoutMs: 5 } }, { allTools: false }).service.tools).toHaveLength(1);
});
