import { expect, test } from 'vitest';
import { z } from 'zod';
import { mismatchOf } from '../src/check-arguments.ts';

test.each([
  [{ city: z.string() }, { city: 'Oslo' }, undefined],
  [{ city: z.string().optional() }, {}, undefined],
  [{}, { more: 1 }, undefined],
  [z.object({ city: z.string() }), { city: 'Oslo' }, undefined],
  [{ city: z.string() }, {}, /city/],
  [{ city: z.object({ name: z.string() }) }, { city: { name: 5 } }, /city.*name/],
  [z.object({ city: z.string() }), { city: 5 }, /city/],
  [{ city: z.string() }, 'Oslo', /object/],
  [{ city: z.string() }, null, /object/],
  [{ city: z.string().refine(async (city) => city === 'Oslo', 'only Oslo') }, { city: 'Rome' }, /only Oslo/],
  // What cannot be told is left to the SDK.
  [{ city: 'no type' }, { city: 5 }, undefined],
  [
    {
      city: z.string().transform(() => {
        throw new Error('broken');
      }),
    },
    { city: 'Oslo' },
    undefined,
  ],
] as const)('case %#', async (schema, value, expected) => {
  expect((await mismatchOf(schema, value)) ?? 'nothing').toMatch(expected ?? /^nothing$/);
});
