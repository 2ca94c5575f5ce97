/** Types: five tools of different types need no annotation, and names of tools in options are checked where they are literals. */
import { reliableTools } from '@holdfast/openai';
import { zodFunction, zodResponsesFunction } from 'openai/helpers/zod';
import { expect, it } from 'vitest';
import { z } from 'zod';

const parameters = { type: 'object', properties: { query: { type: 'string' } } };

it('five tools of different types need no annotation', () => {
  const zod = zodFunction({ name: 'zod', parameters: z.object({ city: z.string() }), function: ({ city }) => city.trim() });
  const responses = zodResponsesFunction({ name: 'responses', parameters: z.object({ year: z.number() }), function: ({ year }) => year });
  const reliable = reliableTools(
    [
      zod,
      responses,
      { name: 'search', parameters, run: (_args, { signal }) => signal.aborted },
      { name: 'archive', parameters, run: async ({ query }: { query: string }) => query.trim() },
      { type: 'function', function: { name: 'free', function: (text: string) => text.trim() } },
    ],
    { tools: { zod: { effect: 'read' }, search: { effect: 'read', alternatives: ['archive'] } } },
  );
  expect(reliable.service.tools).toHaveLength(5);
});

it('a misspelt name is an error of the compiler, and at construction', () => {
  const search = { name: 'search', parameters, run: ({ query }: { query: string }) => query } as const;
  reliableTools([search, { name: 'archive', parameters, run: (_args, { signal }) => signal.aborted }], {
    tools: { search: { alternatives: ['archive'] } },
  });
  // @ts-expect-error there is no such tool
  expect(() => reliableTools([search], { tools: { serach: {} } })).toThrow("Did you mean 'search'");
  // @ts-expect-error there is no such alternative
  expect(() => reliableTools([search], { tools: { search: { alternatives: ['archiv'] } } })).toThrow('archiv');
  const names: string = 'search';
  reliableTools([{ name: names, parameters, run: () => 1 }], { tools: { search: { effect: 'read' } } });
});
