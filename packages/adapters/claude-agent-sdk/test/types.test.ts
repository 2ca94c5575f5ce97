/** Types: five tools of different types need no annotation, and names of tools in options are checked. */
import { tool as sdkTool } from '@anthropic-ai/claude-agent-sdk';
import { reliableTools, tool } from '@holdfast/claude-agent-sdk';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { text } from './support/stage.ts';

it('five tools keep their types, and a misspelt name is an error of the compiler, and at construction', () => {
  const search = tool('search', 'S', { query: z.string() }, async ({ query }) => text(query.toUpperCase()));
  const archive = tool('archive', 'A', { year: z.number() }, async ({ year }) => text(year.toFixed()), {
    annotations: { readOnlyHint: true },
  });
  const book = tool('book', 'B', { seats: z.array(z.number()) }, async ({ seats }) => text(String(seats.length)));
  const ask = tool('ask', 'Q', { at: z.date().optional(), mode: z.enum(['a', 'b']) }, async ({ at, mode }) =>
    text(`${at?.getTime()} ${mode}`),
  );
  const none = tool('none', 'N', {}, async () => text('none'));
  const all = [search, archive, book, ask, none] as const;
  const run = reliableTools(all, { tools: { search: { effect: 'read', alternatives: ['archive'] } } }).startRun();
  expect(run.tools.map(({ name }) => name)).toEqual(['search', 'archive', 'book', 'ask', 'none']);
  // @ts-expect-error there is no such tool
  expect(() => reliableTools(all, { tools: { serach: {} } })).toThrow("Did you mean 'search'");
  // @ts-expect-error there is no such alternative
  expect(() => reliableTools(all, { tools: { search: { alternatives: ['archiv'] } } })).toThrow('archiv');
  // The SDK's own function does not keep the name in the type.
  const own = sdkTool('own', 'O', { query: z.string() }, async ({ query }) => text(query.toUpperCase()));
  expect(() => reliableTools([own, search], { tools: { owm: {} } })).toThrow("Did you mean 'own'");
});
