/** Types: five tools of different types need no annotation, and names of tools in options are checked. */
import { reliableTools } from '@holdfast/mastra';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { expect, it } from 'vitest';
import { z } from 'zod';

it('five tools keep their types, and a misspelt name is an error of the compiler, and at construction', () => {
  const tools = {
    search: createTool({
      id: 'search',
      description: 'S',
      inputSchema: z.object({ query: z.string() }),
      execute: async ({ query }) => query.toUpperCase(),
    }),
    archive: createTool({
      id: 'archive',
      description: 'A',
      inputSchema: z.object({ year: z.number() }),
      outputSchema: z.object({ found: z.string() }),
      execute: async ({ year }, { requestContext }) => ({ found: `${year.toFixed()} ${requestContext.size()}` }),
    }),
    book: createTool({
      id: 'book',
      description: 'B',
      inputSchema: z.object({ seats: z.array(z.number()) }),
      requireApproval: ({ seats }) => seats.length > 2,
      execute: async ({ seats }) => seats.length,
    }),
    ask: createTool({
      id: 'ask',
      description: 'Q',
      suspendSchema: z.object({ question: z.string() }),
      resumeSchema: z.object({ answer: z.string() }),
      execute: async (_input, { agent }) => agent?.resumeData?.answer.length,
    }),
    time: createTool({ id: 'time', description: 'T', inputSchema: z.object({ at: z.date() }), execute: async ({ at }) => at.getTime() }),
  };
  const reliable = reliableTools(tools, { tools: { search: { effect: 'read', alternatives: ['archive'] } } });
  const typed: typeof tools = reliable.tools;
  expect(Object.keys(typed)).toEqual(Object.keys(tools));
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'i', model: 'openai/gpt-5.2', tools: reliable.tools });
  expect(agent.id).toBe('a');
  // @ts-expect-error there is no such tool
  expect(() => reliableTools(tools, { tools: { serach: {} } })).toThrow("Did you mean 'search'");
  // @ts-expect-error there is no such alternative
  expect(() => reliableTools(tools, { tools: { search: { alternatives: ['archiv'] } } })).toThrow('archiv');
});
