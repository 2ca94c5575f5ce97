/** Transcripts of real systems that a provider refused: each is accepted after its repair; valid ones are unchanged. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkRequest, type BackendProfile, type WireFormat } from '@holdfast/provider-double/rules';
import { repair, validate, type Format } from '@holdfast/wire';
import { expect, test } from 'vitest';

interface CorpusCase {
  readonly id: string;
  readonly format: string;
  readonly profile?: BackendProfile;
  readonly title: string;
  readonly expect: 'repair' | 'untouched' | 'repair-or-report' | 'other';
  readonly request?: Readonly<Record<string, unknown>>;
}

const casesOf = <Case>(name: string): readonly Case[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../provider-double/test/transcripts', name), 'utf8')) as readonly Case[];

const all = casesOf<CorpusCase>('cases.json');
const requests = all.filter(({ request, expect: wanted }) => request !== undefined && wanted !== 'other');

/** Cases whose repair would need a decision of the developer. */
const reported: Readonly<Record<string, string>> = { C31: 'request-shape', G12: 'tool-count' };

/** The rules by which each case is repaired. */
const repairedBy: Readonly<Record<string, readonly string[]>> = {
  C01: ['missing-result'],
  C02: ['missing-result', 'missing-result'],
  C03: ['result-place'],
  C06: ['duplicate-result'],
  C14: ['name-missing'],
  C16: ['empty-content'],
  C18: ['arguments-form'],
  C19: ['arguments-form'],
  C22: ['tool-schema'],
  C25: ['call-id-form', 'call-id-form'],
  C26: ['call-id-duplicate', 'call-id-duplicate'],
  R02: ['missing-result'],
  R03: ['call-id-form', 'call-id-form'],
  R04: ['item-id'],
  R05: ['reasoning-pair'],
  R10: ['call-id-missing', 'call-id-missing', 'call-id-missing', 'call-id-missing'],
  R11: ['arguments-form'],
  R14: ['block-order'],
  R16: ['item-id'],
  R20: ['result-id'],
  A01: ['missing-result', 'missing-result'],
  A03: ['orphan-result', 'empty-content'],
  A04: ['duplicate-call'],
  A05: ['call-id-form', 'call-id-form'],
  A08: ['empty-content'],
  A10: ['empty-content'],
  A11: ['thinking-missing'],
  A17: ['block-order'],
  A18: ['tool-duplicate'],
  A19: ['tool-schema', 'tool-schema'],
  A20: ['name-form'],
  A25: ['thinking-forbidden'],
  G01: ['missing-result'],
  G03: ['result-place', 'message-merge'],
  G04: ['starts-with-user'],
  G06: ['result-name'],
  G08: ['signature-missing'],
  B01: ['orphan-result', 'empty-content'],
  B03: ['missing-result'],
  B04: ['call-id-duplicate', 'call-id-duplicate'],
  B06: ['tools-missing'],
  B07: ['arguments-form'],
  B10: ['mixed-turn', 'mixed-turn'],
  B14: ['starts-with-user'],
};

const check = ({ format, profile }: Pick<CorpusCase, 'format' | 'profile'>, request: unknown) =>
  checkRequest({ format: format as WireFormat, ...(profile ? { profile } : {}), request });

const untouched = requests.filter(({ expect: wanted }) => wanted === 'untouched');
const reportable = requests.filter(({ id }) => id in reported);
const repairable = requests.filter((each) => !untouched.includes(each) && !reportable.includes(each));

test.each(untouched)('$id is unchanged: $title', (each) => {
  const options = { format: each.format as Format, profile: each.profile };
  expect(repair(each.request, options)).toMatchObject({ changes: [], problems: [] });
  expect(repair(each.request, options).request).toBe(each.request);
  expect(validate(each.request, options).valid).toBe(true);
  expect(check(each, each.request)).toEqual([]);
});

test.each(reportable)('$id is reported: $title', (each) => {
  const { problems } = repair(each.request, { format: each.format as Format, profile: each.profile });
  expect(problems.map(({ rule }) => rule)).toEqual([reported[each.id]]);
});

test.each(repairable)('$id is repaired: $title', (each) => {
  const options = { format: each.format as Format, profile: each.profile };
  const before = structuredClone(each.request);
  const { request, changes, problems } = repair(each.request, options);
  expect(each.request).toEqual(before);
  expect(validate(each.request, options).valid).toBe(false);
  expect(check(each, each.request)).not.toEqual([]);
  expect(problems).toEqual([]);
  expect(changes.map(({ rule }) => rule)).toEqual(repairedBy[each.id]);
  expect(check(each, request)).toEqual([]);
  expect(repair(request, options).request).toBe(request);
  expect(validate(request, options)).toEqual({ valid: true, problems: [] });
});

test('every case of the corpus is known', () => {
  const known = new Set([...Object.keys(repairedBy), ...Object.keys(reported), 'C27', 'N02', 'N03', 'N05']);
  expect(requests.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([]);
  expect(requests).toHaveLength(50);
});

interface RuleCase extends Omit<CorpusCase, 'expect'> {
  readonly expect: 'repair' | 'report';
  readonly rule: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly valid: Readonly<Record<string, unknown>>;
}

const ruleCases = casesOf<RuleCase>('provider-rules.json');

/** Cases of which the corpus only expects a report: the same definition twice is removed without loss. */
const repairedInstead: ReadonlySet<string> = new Set(['G41']);

/** The rules that have another name in wire. */
const repairRules: Readonly<Record<string, string>> = {
  C40: 'tools-empty',
  C45: 'name-missing',
  C50: 'reasoning-content',
  C51: 'reasoning-content',
  C52: 'reasoning-content',
  C54: 'role',
  C60: 'reasoning-content',
  C62: 'name-form',
  C70: 'ends-with-user',
  C73: 'name-form',
  R42: 'item-id',
  G41: 'tool-duplicate',
  B40: 'tools-empty',
  B42: 'ends-with-user',
  B45: 'name-form',
};

/** The rules of problems that are not `tool-shape`. */
const reportRules: Readonly<Record<string, string>> = { C97: 'content-form', A43: 'tool-choice', G42: 'tool-choice' };

const isReported = (each: RuleCase): boolean => each.expect === 'report' && !repairedInstead.has(each.id);

test.each(ruleCases)('$id ($rule): what the provider accepts is unchanged', (each) => {
  const options = { format: each.format as Format, profile: each.profile };
  expect(check(each, each.valid)).toEqual([]);
  expect(repair(each.valid, options)).toMatchObject({ changes: [], problems: [] });
  expect(repair(each.valid, options).request).toBe(each.valid);
});

test.each(ruleCases.filter((each) => !isReported(each)))('$id ($rule) is repaired: $title', (each) => {
  const options = { format: each.format as Format, profile: each.profile };
  const before = structuredClone(each.request);
  const { request, changes, problems } = repair(each.request, options);
  expect(each.request).toEqual(before);
  expect(check(each, each.request)).not.toEqual([]);
  expect(problems).toEqual([]);
  expect([...new Set(changes.map(({ rule }) => rule))]).toEqual([repairRules[each.id] ?? each.rule]);
  expect(check(each, request)).toEqual([]);
  expect(repair(request, options).request).toBe(request);
});

test.each(ruleCases.filter(isReported))('$id ($rule) is reported: $title', (each) => {
  const { request, changes, problems } = repair(each.request, { format: each.format as Format, profile: each.profile });
  expect(problems.map(({ rule }) => rule)).toEqual([reportRules[each.id] ?? 'tool-shape']);
  expect(changes).toEqual([]);
  expect(request).toBe(each.request);
});

test('every provider rule of the corpus is read', () => {
  expect(ruleCases).toHaveLength(63);
});
