/** Types: what `run` receives is inferred from the schema of each tool, and names of tools in options are checked. */
import { reliableTools, tool } from '@holdfast/bedrock';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { messageOf, use } from './support/answers.ts';

interface City {
  readonly city: string;
}

const cityOf = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const unknownSchema: Record<string, unknown> = cityOf;

it('five tools of different types need no annotation', async () => {
  const tools = reliableTools(
    [
      tool({
        toolSpec: {
          name: 'weather',
          description: 'Tells the weather.',
          inputSchema: {
            json: {
              type: 'object',
              properties: { city: { type: 'string' }, days: { type: 'integer' }, unit: { enum: ['C', 'F'] } },
              required: ['city', 'unit'],
            },
          },
        },
        run: ({ city, days = 1, unit }, { signal }) => {
          const letter: 'C' | 'F' = unit;
          return `${city.toUpperCase()} ${days.toFixed()} ${letter} ${String(signal.aborted)}`;
        },
      }),
      tool({
        toolSpec: { name: 'pay', inputSchema: { json: z.object({ amount: z.number().default(1) }) } },
        run: ({ amount }) => amount.toFixed(2),
      }),
      tool({
        toolSpec: {
          name: 'list',
          inputSchema: { json: { type: 'object', properties: { of: { type: 'array', items: { type: 'string' } } }, required: ['of'] } },
        },
        run: ({ of }) => of.join(', '),
      }),
      tool({ toolSpec: { name: 'now', inputSchema: { json: { type: 'object' } } }, run: (args) => Object.keys(args).length }),
      tool({ toolSpec: { name: 'loose', inputSchema: { json: unknownSchema } }, run: async ({ city }: City) => city.length }),
      { toolSpec: { name: 'plain', inputSchema: { json: cityOf } }, run: ({ city }: City) => city.length },
      { cachePoint: { type: 'default' } },
    ],
    { tools: { pay: { effect: 'unsafe' }, weather: { effect: 'read', alternatives: ['loose'] } } },
  );
  const message = messageOf(use('weather', { city: 'Oslo', unit: 'C' }), use('pay', {}), use('list', { of: ['a', 'b'] }));
  const results = await tools.startRun().answer(message);
  expect(results?.content.map(({ toolResult }) => toolResult.content?.[0]?.text)).toEqual(['OSLO 1 C false', '1.00', 'a, b']);
});

it('tool() returns its argument', () => {
  const definition = { toolSpec: { name: 'weather', inputSchema: { json: cityOf } }, run: ({ city }: City) => city };
  expect(tool(definition)).toBe(definition);
});

it('a wrong type is an error of the compiler', () => {
  const toolSpec = { name: 'weather', inputSchema: { json: cityOf } };
  // @ts-expect-error `city` is a string
  tool({ toolSpec, run: ({ city }: { readonly city: number }) => city });
});

it('a misspelt name is an error of the compiler, and at construction', () => {
  const search = tool({ toolSpec: { name: 'search', inputSchema: { json: cityOf } }, run: ({ city }) => city });
  const archive = { toolSpec: { name: 'archive', inputSchema: { json: cityOf } }, run: ({ city }: City) => city } as const;
  reliableTools([search, archive], { tools: { search: { alternatives: ['archive'] } } });
  // @ts-expect-error there is no such tool
  expect(() => reliableTools([search, archive], { tools: { serach: {} } })).toThrow("Did you mean 'search'");
  // @ts-expect-error there is no such alternative
  expect(() => reliableTools([search, archive], { tools: { search: { alternatives: ['archiv'] } } })).toThrow('archiv');
  const names: string = 'search';
  reliableTools([{ toolSpec: { name: names, inputSchema: { json: cityOf } }, run: () => 1 }], { tools: { search: { effect: 'read' } } });
});

const refused: readonly (readonly [unknown, RegExp])[] = [
  [[{ name: 'find', run: () => 1 }], /must have a name.*toolSpec/],
  [[{ toolSpec: { name: '' }, run: () => 1 }], /must have a name, got ""/],
  [[{ toolSpec: { name: 'find', inputSchema: { json: {} } } }], /'find' has no function to run/],
  [
    [{ toolSpec: { name: 'find', inputSchema: { json: { '~standard': { version: 1, vendor: 'x' } } } }, run: () => 1 }],
    /'find' has no JSON Schema/,
  ],
  [[5], /tools\[0\] must be a tool/],
  [undefined, /must be an array/],
];

it.each(refused)('%o is refused as tools', (given, message) => {
  expect(() => reliableTools(given as never)).toThrow(message);
});
