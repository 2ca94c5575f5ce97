/** A valid transcript is unchanged: the same object is returned. */
import { checkRequest } from '@holdfast/provider-double/rules';
import { repair } from '@holdfast/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plans } from '../support/plans.ts';
import { cases, titleOf } from '../support/format-cases.ts';

describe.each(cases.map((each) => ({ ...each, title: titleOf(each) })))('$title', ({ format, profile, write }) => {
  test('is the same object, with nothing to report', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const request = write(plan);
        expect(checkRequest({ format, ...(profile ? { profile } : {}), request })).toEqual([]);
        const repaired = repair(request, { format, profile });
        expect(repaired.changes).toEqual([]);
        expect(repaired.problems).toEqual([]);
        expect(repaired.request).toBe(request);
      }),
      { numRuns: 150 },
    );
  });
});
