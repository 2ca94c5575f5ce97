/** Lists of calls and results of any content: whether they match, and what is missing, is what a plain program says. */
import { ToolExecutionService } from '@holdfast/core';
import { ResponseValidationMiddleware } from '@holdfast/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from './support/property-runs.ts';

interface Entry {
  readonly callId: string;
  readonly toolName: string;
}

const entries: fc.Arbitrary<Entry> = fc.record({ callId: fc.constantFrom('a', 'b', 'c'), toolName: fc.constant('weather') });
const lists = fc.uniqueArray(entries, { selector: ({ callId }) => callId, maxLength: 3 });
/** What a program hands over by mistake, with what it has to be told. */
const mistakes = fc.constantFrom<readonly [unknown, string] | undefined>(
  undefined,
  undefined,
  undefined,
  ['weather', 'not an array'],
  [null, 'not an array'],
  [{ callId: 'a' }, 'not an array'],
  [[7], '1 is not an object'],
  [[null], '1 is not an object'],
);

const service = new ToolExecutionService({ tools: [] });
const middleware = new ResponseValidationMiddleware();
const tags = ['S4-response-validation', 'S4-batch', 'S4-methods', 'S4-middleware-methods', 'S3-invariant'];

test('calls and results with ids of their own match by id, count and order', { tags }, () => {
  fc.assert(
    fc.property(lists, lists, fc.boolean(), (asked, answered, areWhole) => {
      const results = areWhole ? asked : answered;
      const idsOf = (list: readonly Entry[]): readonly string[] => list.map(({ callId }) => callId);
      const missing = idsOf(asked).filter((id) => !idsOf(results).includes(id));
      const unexpected = idsOf(results).filter((id) => !idsOf(asked).includes(id));
      const reordered = missing.length + unexpected.length === 0 && idsOf(asked).join() !== idsOf(results).join();
      const problems = [
        ...(asked.length === results.length ? [] : [`${asked.length} calls, but ${results.length} results`]),
        ...missing.map((id) => `No result for call '${id}'`),
        ...unexpected.map((id) => `The result '${id}' has no matching call`),
        ...(reordered ? ['The results are not in the order of their calls'] : []),
      ];
      const expected = { matches: problems.length === 0, missing, unexpected, reordered, problems };
      expect(service.validateResponseMatch(asked as never, results as never)).toEqual(expected);
      expect(middleware.validateToolCallResultMatch(asked as never, results as never)).toEqual(expected);
    }),
    propertyRuns(200),
  );
});

test('what is no list of calls or results never matches, and is named', { tags }, () => {
  fc.assert(
    fc.property(lists, mistakes, mistakes, (asked, ofCalls, ofResults) => {
      const [calls, aboutCalls] = ofCalls ?? [asked, undefined];
      const [results, aboutResults] = ofResults ?? [asked, undefined];
      const { matches, problems } = service.validateResponseMatch(calls as never, results as never);
      const isWhole = aboutCalls === undefined && aboutResults === undefined;
      expect(matches).toBe(isWhole);
      const saidOf = (list: string): readonly string[] => problems.filter((each) => new RegExp(`${list}.* not an `, 'u').test(each));
      expect(saidOf('[Cc]all')).toHaveLength(aboutCalls === undefined ? 0 : 1);
      expect(saidOf('[Rr]esult')).toHaveLength(aboutResults === undefined ? 0 : 1);
      expect(saidOf('[Cc]all').join()).toContain(aboutCalls ?? '');
      expect(saidOf('[Rr]esult').join()).toContain(aboutResults ?? '');
    }),
    propertyRuns(100),
  );
});
