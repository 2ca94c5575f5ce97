/** The description of a tool is found without a search. */
import { expect, it } from 'vitest';
import { descriptionsOf } from '../../src/spans/descriptions.ts';

it('reads the tools once for all calls, and again after they were replaced', () => {
  let reads = 0;
  const toolsWith = (description: string) =>
    Array.from({ length: 1_000 }, (_, index) => ({
      get name() {
        reads += 1;
        return `tool_${index}`;
      },
      description: `${description} ${index}`,
    }));
  let tools = toolsWith('Does');
  const service = {
    get tools() {
      return tools;
    },
  };
  const describe = descriptionsOf(service);
  for (let call = 0; call < 1_000; call += 1) expect(describe(`tool_${call}`)).toBe(`Does ${call}`);
  expect(describe('unknown')).toBeUndefined();
  expect(reads).toBe(1_000);
  tools = toolsWith('Now does');
  expect(describe('tool_7')).toBe('Now does 7');
  expect(reads).toBe(2_000);
});

it('a service without tools describes none', () => {
  expect(descriptionsOf({})('search')).toBeUndefined();
});
