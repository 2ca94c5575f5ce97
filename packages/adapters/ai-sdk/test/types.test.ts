/** Types: five tools of different types need no annotation, and names of tools in options are checked. */
import { reliableTools } from '@holdfast/ai-sdk';
import { tool } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';

it('five tools keep their types, and a misspelt name is an error of the compiler, and at construction', () => {
  const tools = {
    search: tool({ inputSchema: z.object({ query: z.string() }), execute: ({ query }) => query.toUpperCase() }),
    archive: tool({ inputSchema: z.object({ year: z.number() }), execute: ({ year }) => year.toFixed() }),
    book: tool({ inputSchema: z.object({ seats: z.array(z.number()) }), execute: async ({ seats }) => seats.length }),
    ask: tool({ inputSchema: z.object({ at: z.date() }), execute: ({ at }) => at.getTime() }),
    stream: tool({
      inputSchema: z.object({ text: z.string() }),
      async *execute({ text }) {
        yield text.length;
      },
    }),
  };
  const run = reliableTools(tools, { tools: { search: { effect: 'read', alternatives: ['archive'] } } }).startRun();
  const typed: typeof tools = run.tools;
  expect(Object.keys(typed)).toEqual(Object.keys(tools));
  // @ts-expect-error there is no such tool
  expect(() => reliableTools(tools, { tools: { serach: {} } })).toThrow("Did you mean 'search'");
  // @ts-expect-error there is no such alternative
  expect(() => reliableTools(tools, { tools: { search: { alternatives: ['archiv'] } } })).toThrow('archiv');
});
