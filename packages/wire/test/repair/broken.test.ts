/** A broken transcript is accepted after one repair, and nothing that matters is lost. */
import { checkRequest } from '@holdfast/provider-double/rules';
import { repair } from '@holdfast/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { damaged, damages } from '../support/damage.ts';
import { callsIn, explain, reasoningOf } from '../support/account.ts';
import { plans } from '../support/plans.ts';
import { cases, titleOf } from '../support/format-cases.ts';

describe.each(cases.map((each) => ({ ...each, title: titleOf(each) })))('$title', ({ format, profile, write, list }) => {
  const broken = fc.tuple(plans, damages).map(([plan, damage]) => damaged(write(plan), list, damage, format));
  const numRuns = Number(process.env['WIRE_RUNS'] ?? 100);

  test('is accepted, the same on every run, and repaired once', () => {
    fc.assert(
      fc.property(broken, (request) => {
        const before = structuredClone(request);
        const repaired = repair(request, { format, profile });
        expect(request).toEqual(before);
        const again = repair(structuredClone(request), { format, profile });
        expect(JSON.stringify([again.request, again.changes])).toBe(JSON.stringify([repaired.request, repaired.changes]));
        const empty = repaired.problems.map(({ rule }) => rule);
        expect([[], ['request-shape']]).toContainEqual(empty);
        const refused = checkRequest({ format, ...(profile ? { profile } : {}), request: repaired.request }).filter(
          () => empty.length === 0,
        );
        expect(refused).toEqual([]);
        const second = repair(repaired.request, { format, profile });
        expect(second.changes).toEqual([]);
        expect(second.request).toBe(repaired.request);
        expect(repaired.request === request).toBe(repaired.changes.length === 0);
      }),
      { numRuns },
    );
  });

  test('keeps every call and all reasoning, and reports the changes', () => {
    fc.assert(
      fc.property(broken, (request) => {
        const repaired = repair(request, { format, profile });
        const removed = repaired.changes.filter(({ action }) => action === 'removed').map((change) => change.before);
        const after = new Set(reasoningOf(repaired.request, list));
        const lost = reasoningOf(request, list).filter(
          (kept) => !after.has(kept) && !JSON.stringify(removed).includes(JSON.stringify(kept).slice(1, -1)),
        );
        expect(lost).toEqual([]);
        const doubles = repaired.changes.filter(({ rule }) => rule === 'duplicate-call').map((change) => change.before);
        expect(callsIn(repaired.request[list])).toBe(callsIn(request[list]) - callsIn(doubles));
        explain(request, repaired.request, repaired.changes, list);
      }),
      { numRuns },
    );
  });
});
