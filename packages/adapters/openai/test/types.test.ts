/** Types: names of tools in options are checked where they are literals. */
import { reliableTools } from '@holdfast/openai';
import { expect, it } from 'vitest';

const parameters = { type: 'object', properties: { query: { type: 'string' } } };

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
