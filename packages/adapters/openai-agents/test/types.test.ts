/** Types: what `execute` and `needsApproval` receive is inferred from each tool's own `parameters`, for any number of tools. */
import { reliableTools } from '@holdfast/openai-agents';
import { expect, it } from 'vitest';
import { z } from 'zod';

it('five tools of different types need no annotation', () => {
  const tools = reliableTools(
    [
      { name: 'weather', description: 'x', parameters: z.object({ city: z.string() }), execute: ({ city }) => city.toUpperCase() },
      {
        name: 'pay',
        description: 'x',
        parameters: z.object({ amount: z.number() }),
        needsApproval: async (_context, { amount }) => amount.toFixed(2) > '100',
        execute: ({ amount }) => amount.toFixed(2),
      },
      { name: 'list', description: 'x', parameters: z.object({ of: z.array(z.string()) }), execute: async ({ of }) => of.join(', ') },
      {
        name: 'nested',
        description: 'x',
        parameters: z.object({ at: z.object({ lat: z.number(), lon: z.number() }) }),
        execute: ({ at }) => at.lat + at.lon,
      },
      {
        name: 'loose',
        description: 'x',
        strict: false,
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
        execute: (input) => JSON.stringify(input),
      },
    ],
    { tools: { pay: { effect: 'unsafe' }, weather: { effect: 'read' } } },
  );
  expect(tools.service.tools).toHaveLength(5);
  const shape = { description: 'x', parameters: z.object({ city: z.string() }) };
  const misspelt = () =>
    reliableTools(
      [
        { ...shape, name: 'search', execute: ({ city }) => city.length },
        { ...shape, name: 'archive', execute: ({ city }) => city },
      ],
      // @ts-expect-error there is no such tool
      { tools: { serach: {} } },
    );
  expect(misspelt).toThrow("Did you mean 'search'");
  const tuple = [
    { ...shape, name: 'search', execute: ({ city }: { city: string }) => city.length },
    { ...shape, name: 'archive', execute: ({ city }: { city: string }) => city },
  ] as const;
  reliableTools(tuple, { tools: { search: { alternatives: ['archive'] } } });
  // @ts-expect-error there is no such alternative
  expect(() => reliableTools(tuple, { tools: { search: { alternatives: ['archiv'] } } })).toThrow('archiv');
});
