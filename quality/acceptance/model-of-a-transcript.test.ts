/**
 * Random damage to a conversation: results that are late, early, repeated, placeholders or of no call, and ids that start again. Which result a call may have, and
 * which it has to have, is written down as a plain program; the provider says whether it accepts the corrected request.
 */
/* oxlint-disable vitest/no-conditional-expect -- the plain program says what is expected */
import { checkRequest } from '@holdfast/provider-double/rules';
import { repair, ResponseValidationMiddleware } from '@holdfast/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  callsIn,
  expectTruthful,
  resultsIn,
  toolNames,
  writers,
  type Exchange,
  type ProviderFormat,
  type Round,
} from './support/conversation.ts';
import { propertyRuns } from './support/property-runs.ts';
import { windowsOf, type Placed } from './support/transcript-model.ts';

const formats = Object.keys(writers) as readonly ProviderFormat[];

/** The sentence of a placeholder, as the correction writes it. */
const [[, placeholder] = ['', '""']] = resultsIn(
  repair(writers['openai-chat']([{ question: 'q', exchanges: [{ callId: 'a', tool: 'weather', result: undefined }], written: [] }]), {
    format: 'openai-chat',
  }).request,
);
const placeholderText = JSON.parse(placeholder) as string;

const fates = [
  'whole',
  'whole',
  'whole',
  'lost',
  'placeholder',
  'placeholder_then_late',
  'late',
  'early',
  'repeated',
  'contradicted',
] as const;

interface Draft {
  readonly fates: readonly (typeof fates)[number][];
  readonly orphan: boolean;
  readonly reversed: boolean;
  /** Results are written without their ids. */
  readonly bare: boolean;
}
const drafts: fc.Arbitrary<readonly Draft[]> = fc.array(
  fc.record({
    fates: fc.array(fc.constantFrom(...fates), { maxLength: 3 }),
    orphan: fc.constantFrom(false, false, true),
    reversed: fc.boolean(),
    bare: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Whose results a request tells by ids: every call's own, those of an answer, or not all. */
type Ids = 'unique' | 'restarting' | 'missing';

/** The conversation, with each result in the round behind whose calls it is written. */
function conversation(given: readonly Draft[], ids: Ids): readonly Round[] {
  const written: Exchange[][] = given.map(() => []);
  const put = (round: number, exchange: Exchange): void => void written[Math.max(0, Math.min(round, given.length - 1))]?.push(exchange);
  const exchanges = given.map(({ fates: each, orphan }, round) => {
    const calls = each.length === 0 && round === given.length - 1 ? (['whole'] as const) : each;
    const made = calls.map((fate, index) => {
      const callId = ids === 'restarting' ? `call_${index}` : `call_${round}_${index}`;
      const tool = toolNames[(round + index) % toolNames.length] as string;
      const answer = { callId, tool, result: `answer ${round} ${index}` };
      const empty = { callId, tool, result: placeholderText };
      if (fate === 'whole' || fate === 'repeated' || fate === 'contradicted') put(round, answer);
      if (fate === 'placeholder' || fate === 'placeholder_then_late') put(round, empty);
      if (fate === 'placeholder_then_late' || fate === 'late') put(round + 1, answer);
      if (fate === 'early') put(round - 1, answer);
      if (fate === 'repeated') put(round, answer);
      if (fate === 'contradicted') put(round, { ...answer, result: `other answer ${round} ${index}` });
      return answer;
    });
    if (orphan && ids !== 'missing') put(round, { callId: `nowhere_${round}`, tool: 'weather', result: `orphan ${round}` });
    return made;
  });
  return given.map(({ reversed, bare }, round) => {
    const ordered = reversed ? (written[round] ?? []).toReversed() : (written[round] ?? []);
    return {
      question: `question ${round}`,
      exchanges: exchanges[round] ?? [],
      written: bare && ids === 'missing' ? ordered.map((each) => ({ ...each, callId: undefined })) : ordered,
    };
  });
}

/** One real result for every call, and no other. */
const isWhole = (rounds: readonly Round[]): boolean => {
  const calls = rounds.flatMap(({ exchanges }) => exchanges.map(({ callId, result }) => `${callId} ${result ?? ''}`));
  const results = rounds.flatMap(({ written }) => written.map(({ callId, result }) => `${callId ?? ''} ${result ?? ''}`));
  return calls.toSorted().join() === results.toSorted().join();
};

const textOf = (text: string): string => /(?:other )?(?:answer \d \d|orphan \d)/u.exec(text)?.[0] ?? '';

describe.each(formats)('a damaged conversation in the format %s', (format) => {
  test.each([
    ['has ids of its own for every call', 'unique'],
    ['starts its ids again in every answer', 'restarting'],
    ['has results without ids', 'missing'],
  ] as const)('that %s', { tags: ['S4-auto-correction', 'S4-request-validation'] }, (_what, ids) => {
    fc.assert(
      fc.property(drafts, (given) => {
        const rounds = conversation(given, ids);
        const request = writers[format](rounds);
        const { request: corrected, changes, problems, mapping } = repair(request, { format });
        expect(problems).toEqual([]);
        expect(checkRequest({ format, request: corrected })).toEqual([]);
        expect(new ResponseValidationMiddleware({ format }).validateRequest(corrected).valid).toBe(true);
        expect(new ResponseValidationMiddleware({ format }).validateRequest(request).valid).toBe(changes.length === 0);
        expect(repair(corrected, { format }).request).toBe(corrected);
        if (isWhole(rounds) && checkRequest({ format, request }).length === 0) expect(changes).toEqual([]);
        expectTruthful(changes, request, corrected);
        const calls = callsIn(corrected);
        const answers = windowsOf(rounds, format === 'gemini');
        expect(calls.map(mapping.toOriginal)).toEqual(answers.flat().map(({ callId }) => callId));
        const results = resultsIn(corrected).map(([id, text]) => [id, textOf(text)] as const);
        expect(results).toHaveLength(calls.length);
        const areUnique = new Set(calls).size === calls.length;
        for (const answer of answers) {
          const own = calls.splice(0, answer.length);
          // Where ids are used twice, the results of an answer are directly behind it.
          expectOwn(answer, own, areUnique ? results : results.splice(0, answer.length));
        }
      }),
      propertyRuns(80),
    );
  });
});

/** The results of one answer are in any order; each is the only one, or one of those that its call may have, or a placeholder. */
function expectOwn(answer: readonly Placed[], ids: readonly string[], results: readonly (readonly [string, string])[]): void {
  for (const [index, { callId, certain, possible }] of answer.entries()) {
    const own = results.filter(([id]) => id === ids[index]).map(([, text]) => text);
    expect(own, callId).toHaveLength(1);
    if (certain === undefined) expect(['', ...possible], callId).toContain(own[0]);
    else expect(own, callId).toEqual([certain]);
  }
}

test('results without ids are told by their tool, however late they are', { tags: ['S4-auto-correction'] }, () => {
  const whens = fc.array(fc.constantFrom('at once', 'late', 'behind a placeholder', 'lost'), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(whens, fc.boolean(), (when, reversed) => {
      const exchanges = when.map((_, index) => ({
        callId: `call_${index}`,
        tool: toolNames[index] as string,
        result: `answer 0 ${index}`,
      }));
      const nameless = exchanges.map((exchange) => ({ ...exchange, callId: undefined }));
      const now = nameless.flatMap((each, index) =>
        when[index] === 'at once' ? [each] : when[index] === 'behind a placeholder' ? [{ ...each, result: placeholderText }] : [],
      );
      const later = nameless.filter((_, index) => when[index] === 'late' || when[index] === 'behind a placeholder');
      const request = writers.gemini([
        { question: 'question 0', exchanges, written: reversed ? now.toReversed() : now },
        { question: 'question 1', exchanges: [], written: reversed ? later.toReversed() : later },
      ]);
      const { request: corrected, problems } = repair(request, { format: 'gemini' });
      expect(problems).toEqual([]);
      expect(checkRequest({ format: 'gemini', request: corrected })).toEqual([]);
      const found = resultsIn(corrected).map(([, text]) => textOf(text));
      expect(found.toSorted()).toEqual(exchanges.map(({ result }, index) => (when[index] === 'lost' ? '' : result)).toSorted());
      for (const [index, { tool, result }] of exchanges.entries())
        if (when[index] !== 'lost') expect(resultsIn(corrected).find(([, text]) => text.includes(result))?.[1]).toContain(`"${tool}"`);
    }),
    propertyRuns(60),
  );
});

test.each(formats)('a call that is written twice in the format %s is one call', { tags: ['S4-auto-correction'] }, (format) => {
  const call = { callId: 'call_a', tool: 'weather', result: 'answer 0 0' };
  const other = { callId: 'call_b', tool: 'hotels', result: 'answer 0 1' };
  for (const exchanges of [
    [call, call],
    [call, other, call],
  ]) {
    const written = [...new Set(exchanges)];
    const { request, changes, problems } = repair(writers[format]([{ question: 'question 0', exchanges, written }]), { format });
    expect(problems).toEqual([]);
    expect(checkRequest({ format, request })).toEqual([]);
    expect(callsIn(request)).toEqual(written.map(({ callId }) => callId));
    expect(resultsIn(request).map(([id, text]) => [id, textOf(text)])).toEqual(written.map(({ callId, result }) => [callId, result]));
    expect(changes).toMatchObject([{ rule: 'duplicate-call', action: 'removed' }]);
  }
});

test.each(formats)(
  'calls of one answer in the format %s that share an id: each has the result in its place, also where another one is a placeholder',
  { tags: ['S4-auto-correction'] },
  (format) => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 2, maxLength: 3 }), (areReal) => {
        const exchanges = areReal.map((_, index) => ({ callId: 'call_a', tool: toolNames[index] as string, result: `answer 0 ${index}` }));
        const written = exchanges.map((each, index) => (areReal[index] === true ? each : { ...each, result: placeholderText }));
        const { request, problems } = repair(writers[format]([{ question: 'question 0', exchanges, written }]), { format });
        expect(problems).toEqual([]);
        expect(checkRequest({ format, request })).toEqual([]);
        const ids = callsIn(request);
        expect(new Set(ids).size).toBe(exchanges.length);
        const found = new Map(resultsIn(request).map(([id, text]) => [id, textOf(text)]));
        expect(ids.map((id) => found.get(id))).toEqual(exchanges.map(({ result }, index) => (areReal[index] === true ? result : '')));
      }),
      propertyRuns(20),
    );
  },
);
