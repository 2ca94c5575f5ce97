import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { contest } from './contest.ts';

export const parallel = contest({
  name: 'parallel',
  title: '100 calls at once that succeed',
  what: 'The tool is `async () => 1`; `Promise.all` over 100 calls, time per call.',
  parallel: 100,
});

export const turn = contest({
  name: 'turn',
  title: 'A call whose tool takes one turn of the event loop',
  what: 'The tool awaits `setImmediate`. Calls are awaited one after another.',
  job: () => ({ run: () => nextTurn(1) }),
});

const input = z.object({ city: z.string().min(1), days: z.number().int().positive(), units: z.enum(['metric', 'imperial']).optional() });

export const schema = contest({
  name: 'schema',
  title: 'A call that succeeds at once, its arguments checked by a zod 4 schema',
  what: 'An object of three fields. Holdfast is given the schema as `input`; for the others the tool calls `schema.parse` first.',
  job: () => ({ run: async () => 1, input, arguments: { city: 'Oslo', days: 3, units: 'metric' } }),
});
