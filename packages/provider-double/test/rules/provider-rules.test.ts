/** Each rule with its source: the request that breaks it is refused with the provider's message, its corrected twin is accepted. */
import { describe, expect, it } from 'vitest';
import { checkRequest, type BackendProfile, type RequestProblem, type WireFormat } from '@holdfast/provider-double/rules';
import { cases, ruleCases, type RuleCase } from '../support/cases.ts';

const problemsOf = ({ format, profile }: RuleCase, request: unknown): readonly RequestProblem[] =>
  checkRequest({ format: format as WireFormat, profile: profile as BackendProfile, request });

describe('a request that breaks the rule', () => {
  it.each(ruleCases)('$id is refused, for this reason only: $title', (one) => {
    const problems = problemsOf(one, one.request);
    expect([...new Set(problems.map(({ rule }) => rule))]).toEqual([one.rule]);
    expect(problems[0]?.message).toBe(one.error);
    expect(problems[0]?.path).not.toBe('');
  });
});

describe('the corrected request', () => {
  it.each(ruleCases)('$id is accepted: $title', (one) => {
    expect(problemsOf(one, one.valid)).toEqual([]);
  });
});

it('every rule has an id of its own, a grade of evidence and public sources', () => {
  const ids = [...cases, ...ruleCases].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, evidence, source } of ruleCases) {
    expect(['S', 'E', 'L'], id).toContain(evidence);
    expect(source.length, id).toBeGreaterThan(0);
    for (const page of source) expect(page, id).toMatch(/^https:\/\/[a-z0-9.-]+\/\S+$/);
  }
});
