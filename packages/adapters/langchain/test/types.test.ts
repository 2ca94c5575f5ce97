/** Types: five tools of different types need no annotation, and names of tools in options are checked where they are literals. */
import { reliableTools } from '@holdfast/langchain';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { tool } from '@langchain/core/tools';
import { expect, it } from 'vitest';
import { z } from 'zod';

it('five tools keep their types, and a misspelt name is an error of the compiler, and at construction', () => {
  const search = tool(({ query }) => query.toUpperCase(), { name: 'search', schema: z.object({ query: z.string() }) });
  const archive = tool(({ year }) => year.toFixed(), { name: 'archive', schema: z.object({ year: z.number() }) });
  const book = tool(async ({ seats }) => seats.length, { name: 'book', schema: z.object({ seats: z.array(z.number()) }) });
  const say = tool((text) => text.trim(), { name: 'say', schema: z.string() });
  const render = tool(({ html }) => [html, { html }], {
    name: 'render',
    schema: z.object({ html: z.string() }),
    responseFormat: 'content_and_artifact',
  });
  const reliable = reliableTools([search, archive, book, say, render], {
    tools: { search: { effect: 'read', alternatives: ['archive'] }, book: { effect: 'unsafe' } },
  });
  const typed: (typeof search | typeof archive | typeof book | typeof say | typeof render)[] = reliable.tools;
  expect(typed.map(({ name }) => name)).toEqual(['search', 'archive', 'book', 'say', 'render']);
  // @ts-expect-error there is no such tool
  expect(() => reliableTools([search, archive], { tools: { serach: {} } })).toThrow("Did you mean 'search'");
  // @ts-expect-error there is no such alternative
  expect(() => reliableTools([search, archive], { tools: { search: { alternatives: ['archiv'] } } })).toThrow('archiv');
  const some: readonly StructuredToolInterface[] = [search];
  reliableTools(some, { tools: { search: { effect: 'read' } } });
});
