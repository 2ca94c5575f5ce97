/** Types: five tools of different types need no annotation, and names of tools in options are checked where they are literals. */
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { reliableTools } from '@holdfast/anthropic';
import { expect, it } from 'vitest';
import { z } from 'zod';

const input_schema = { type: 'object', properties: { query: { type: 'string' } } };

it('five tools of different types need no annotation', () => {
  const zod = betaZodTool({ name: 'zod', description: 'x', inputSchema: z.object({ city: z.string() }), run: ({ city }) => city.trim() });
  const json = betaTool({
    name: 'json',
    description: 'x',
    inputSchema: { type: 'object', properties: { year: { type: 'number' } }, required: ['year'] },
    run: ({ year }) => year.toFixed(),
  });
  const reliable = reliableTools(
    [
      zod,
      json,
      { name: 'search', input_schema, run: (_args, { signal }) => String(signal.aborted) },
      { name: 'archive', input_schema, run: ({ query }: { query: string }) => query.trim() },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
    { tools: { zod: { effect: 'read' }, search: { effect: 'read', alternatives: ['archive'] } } },
  );
  expect(reliable.service.tools).toHaveLength(4);
});

it('a misspelt name is an error of the compiler, and at construction', () => {
  const search = { name: 'search', input_schema, run: ({ query }: { query: string }) => query } as const;
  reliableTools([search, { name: 'archive', input_schema, run: () => 1 }], { tools: { search: { alternatives: ['archive'] } } });
  // @ts-expect-error there is no such tool
  expect(() => reliableTools([search], { tools: { serach: {} } })).toThrow("Did you mean 'search'");
  // @ts-expect-error there is no such alternative
  expect(() => reliableTools([search], { tools: { search: { alternatives: ['archiv'] } } })).toThrow('archiv');
  const name: string = 'search';
  reliableTools([{ name, input_schema, run: () => 1 }], { tools: { search: { effect: 'read' } } });
});
