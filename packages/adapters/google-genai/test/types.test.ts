/** Types: what `run` receives is inferred from the schema of each tool, and names of tools in options are checked. */
import { Type } from '@google/genai';
import { reliableTools, tool } from '@holdfast/google-genai';
import { expect, it } from 'vitest';
import { z } from 'zod';

interface City {
  readonly city: string;
}

const cityOf = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const unknownSchema: Record<string, unknown> = cityOf;

it('five tools of different types need no annotation', async () => {
  const tools = reliableTools(
    [
      tool({
        name: 'weather',
        description: 'Tells the weather.',
        parametersJsonSchema: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'integer' }, unit: { enum: ['C', 'F'] } },
          required: ['city', 'unit'],
        },
        run: ({ city, days = 1, unit }, { signal }) => {
          const letter: 'C' | 'F' = unit;
          return `${city.toUpperCase()} ${days.toFixed()} ${letter} ${String(signal.aborted)}`;
        },
      }),
      tool({ name: 'pay', parametersJsonSchema: z.object({ amount: z.number().default(1) }), run: ({ amount }) => amount.toFixed(2) }),
      tool({
        name: 'list',
        parameters: {
          type: Type.OBJECT,
          properties: { of: { type: Type.ARRAY, items: { type: Type.STRING } }, at: { type: Type.NUMBER, nullable: true } },
          required: ['of', 'at'],
        },
        run: ({ of, at }) => of.join(', ') + (at ?? 0).toFixed(),
      }),
      tool({ name: 'now', run: (args) => Object.keys(args).length }),
      tool({ name: 'loose', parametersJsonSchema: unknownSchema, run: async ({ city }: City) => city.length }),
      { name: 'plain', parametersJsonSchema: cityOf, run: ({ city }: City) => city.length },
      { googleSearch: {} },
    ],
    { tools: { pay: { effect: 'unsafe' }, weather: { effect: 'read', alternatives: ['loose'] } } },
  );
  const results = await tools.startRun().answer([
    { name: 'weather', args: { city: 'Oslo', unit: 'C' } },
    { name: 'pay', args: {} },
    { name: 'list', args: { of: ['a', 'b'], at: null } },
  ]);
  expect(results?.parts.map(({ functionResponse }) => functionResponse?.response?.['output'])).toEqual(['OSLO 1 C false', '1.00', 'a, b0']);
});

it('tool() returns its argument', () => {
  const definition = { name: 'weather', parametersJsonSchema: cityOf, run: ({ city }: City) => city };
  expect(tool(definition)).toBe(definition);
});

it('a wrong type is an error of the compiler', () => {
  // @ts-expect-error `city` is a string
  tool({ name: 'weather', parametersJsonSchema: cityOf, run: ({ city }: { readonly city: number }) => city });
});

it('a misspelt name is an error of the compiler, and at construction', () => {
  const search = tool({ name: 'search', parametersJsonSchema: cityOf, run: ({ city }) => city });
  const archive = { name: 'archive', parametersJsonSchema: cityOf, run: ({ city }: City) => city } as const;
  reliableTools([search, archive], { tools: { search: { alternatives: ['archive'] } } });
  // @ts-expect-error there is no such tool
  expect(() => reliableTools([search, archive], { tools: { serach: {} } })).toThrow("Did you mean 'search'");
  // @ts-expect-error there is no such alternative
  expect(() => reliableTools([search, archive], { tools: { search: { alternatives: ['archiv'] } } })).toThrow('archiv');
  const names: string = 'search';
  reliableTools([{ name: names, run: () => 1 }], { tools: { search: { effect: 'read' } } });
});

const refused: readonly (readonly [unknown, RegExp])[] = [
  [[{ functionDeclarations: [{ name: 'find' }] }], /'functionDeclarations' have no functions to run/],
  [[{ tool: () => 1, callTool: () => 1 }], /reliableTools\(await functionsOf\(callable\)\)/],
  [[{ name: 'find' }], /'find' has no function to run/],
  [[{ run: () => 1 }], /must have a name/],
  [
    [{ name: 'find', run: () => 1, parametersJsonSchema: { '~standard': { version: 1, vendor: 'x', validate: () => ({}) } } }],
    /'find' has no JSON Schema/,
  ],
  [undefined, /must be an array/],
];

it.each(refused)('%o is refused as tools', (given, message) => {
  expect(() => reliableTools(given as never)).toThrow(message);
});
