/** Random exchanges with a model: what is missing is added, what is out of place is moved, what is whole is not touched, and the provider accepts the result. */
/* oxlint-disable vitest/no-conditional-expect -- the plain program says what is expected */
import { ToolExecutionService } from '@holdfast/core';
import { checkRequest } from '@holdfast/provider-double/rules';
import { repair, ResponseValidationMiddleware } from '@holdfast/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resultsIn, toolNames, writers, type Exchange, type ProviderFormat, type Round } from './support/conversation.ts';
import { propertyRuns } from './support/property-runs.ts';

interface Damage {
  readonly lost: readonly number[];
  readonly repeated: readonly number[];
  readonly orphans: number;
  readonly reversed: boolean;
}

const damage: fc.Arbitrary<Damage> = fc.record({
  lost: fc.array(fc.nat(3), { maxLength: 2 }),
  repeated: fc.array(fc.nat(3), { maxLength: 1 }),
  orphans: fc.constantFrom(0, 0, 1),
  reversed: fc.boolean(),
});
const none: Damage = { lost: [], repeated: [], orphans: 0, reversed: false };

const sizes = fc.array(fc.tuple(fc.nat(3), damage), { minLength: 1, maxLength: 4 });

const uniqueId = (round: number, index: number): string => `call_${round}_${index}`;
/** Some clients count from the start in every answer. */
const restartingId = (_round: number, index: number): string => `call_${index}`;

/** The last round always calls, so that results end the request. */
const conversation = (rounds: readonly (readonly [number, Damage])[], idOf = uniqueId): readonly Round[] =>
  rounds.map(([count, { lost, repeated, orphans, reversed }], round) => {
    const calls = Math.max(count, round === rounds.length - 1 ? 1 : 0);
    const exchanges: readonly Exchange[] = Array.from({ length: calls }, (_, index) => ({
      callId: idOf(round, index),
      tool: toolNames[(round + index) % toolNames.length] as string,
      result: lost.includes(index) ? undefined : `answer ${round} ${index}`,
    }));
    const extra = [
      ...exchanges.filter((_, index) => repeated.includes(index)),
      ...Array.from({ length: orphans }, () => ({ callId: `nowhere_${round}`, tool: 'weather', result: `orphan ${round}` })),
    ];
    const written = [...exchanges, ...extra];
    return { question: `question ${round}`, exchanges, written: reversed ? written.toReversed() : written };
  });

const formats = Object.keys(writers) as readonly ProviderFormat[];

describe.each(formats)('a conversation in the format %s', (format) => {
  test('is accepted by its provider after the correction, and each call has its own result', { tags: ['S4-auto-correction'] }, () => {
    fc.assert(
      fc.property(sizes, (rounds) => {
        const given = conversation(rounds);
        const request = writers[format](given);
        const { request: repaired, changes, problems } = repair(request, { format });
        expect(problems).toEqual([]);
        expect(checkRequest({ format, request: repaired })).toEqual([]);
        expect(new ResponseValidationMiddleware({ format }).validateRequest(repaired)).toEqual({ valid: true, problems: [] });
        const results = resultsIn(repaired);
        const calls = given.flatMap(({ exchanges }) => exchanges);
        expect(results.map(([id]) => id).toSorted()).toEqual(calls.map(({ callId }) => callId).toSorted());
        for (const { callId, result } of calls) {
          const [, text = ''] = results.find(([id]) => id === callId) ?? [];
          if (result === undefined) expect(text).not.toContain('answer ');
          else expect(text).toContain(result);
        }
        expect(repair(repaired, { format })).toMatchObject({ request: repaired, changes: [], problems: [] });
        // What a provider refuses is found before it is sent.
        if (checkRequest({ format, request }).length > 0) {
          expect(new ResponseValidationMiddleware({ format }).validateRequest(request).valid).toBe(false);
          expect(changes.length).toBeGreaterThan(0);
        }
      }),
      propertyRuns(120),
    );
  });

  test('whose ids start again in every answer: each call keeps the result of its own answer', { tags: ['S4-auto-correction'] }, () => {
    fc.assert(
      fc.property(sizes, (rounds) => {
        // Without repeated and alien results it is clear which answer a result belongs to.
        const given = conversation(
          rounds.map(([count, { lost, reversed }]) => [count, { ...none, lost, reversed }]),
          restartingId,
        );
        const { request, problems } = repair(writers[format](given), { format });
        expect(problems).toEqual([]);
        expect(checkRequest({ format, request })).toEqual([]);
        const found = resultsIn(request).map(([, text]) => /answer \d \d/u.exec(text)?.[0] ?? '');
        // Providers take the results of one answer in any order.
        for (const { exchanges } of given) {
          expect(found.splice(0, exchanges.length).toSorted()).toEqual(exchanges.map(({ result }) => result ?? '').toSorted());
        }
        expect(found).toEqual([]);
      }),
      propertyRuns(80),
    );
  });

  test('that is whole is not touched', { tags: ['S4-auto-correction', 'S4-request-validation'] }, () => {
    fc.assert(
      fc.property(sizes, (rounds) => {
        const request = writers[format](conversation(rounds.map(([count]) => [count, none])));
        expect(checkRequest({ format, request })).toEqual([]);
        expect(new ResponseValidationMiddleware({ format }).validateRequest(request)).toEqual({ valid: true, problems: [] });
        const { request: same, changes } = repair(request, { format });
        expect(changes).toEqual([]);
        expect(same).toBe(request);
      }),
      propertyRuns(60),
    );
  });
});

/** Ids of few letters: some results are missing, some have no call, some are there twice. */
const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 });

/** Pairs each call with the first result of its id that no call before it has. */
function plainMatch(calls: readonly string[], results: readonly string[]) {
  const left = results.map((id, index) => ({ id, index }));
  const answers = calls.map((id) => {
    const found = left.findIndex((result) => result.id === id);
    return found < 0 ? undefined : left.splice(found, 1)[0]?.index;
  });
  const missing = calls.filter((_, index) => answers[index] === undefined);
  const unexpected = left.map(({ id }) => id);
  const reordered = missing.length === 0 && unexpected.length === 0 && answers.some((answer, index) => answer !== index);
  const problems = [
    ...(calls.length === results.length ? [] : [`${calls.length} calls, but ${results.length} results`]),
    ...missing.map((id) => `No result for call '${id}'`),
    ...unexpected.map((id) => `The result '${id}' has no matching call`),
    ...(reordered ? ['The results are not in the order of their calls'] : []),
  ];
  return { matches: problems.length === 0, missing, unexpected, reordered, problems };
}

test(
  'calls and results match by count, id and order, as a plain comparison finds',
  { tags: ['S4-methods', 'S4-middleware-methods', 'S4-batch'] },
  () => {
    const service = new ToolExecutionService({ tools: [] });
    const middleware = new ResponseValidationMiddleware();
    fc.assert(
      fc.property(ids, ids, (calls, results) => {
        const [given, answers] = [calls, results].map((list) => list.map((callId) => ({ callId, toolName: 'weather' })));
        const expected = plainMatch(calls, results);
        expect(service.validateResponseMatch(given ?? [], answers ?? [])).toEqual(expected);
        expect(middleware.validateToolCallResultMatch(given ?? [], answers ?? [])).toEqual(expected);
      }),
      propertyRuns(300),
    );
  },
);

test(
  'a turn is corrected: one result for each call, in order, its own or a placeholder',
  { tags: ['S4-auto-correction', 'S4-response-validation'] },
  () => {
    const middleware = new ResponseValidationMiddleware();
    fc.assert(
      fc.property(ids, ids, (letters, answered) => {
        const calls = [...new Set(letters)];
        const toolCalls = calls.map((callId) => ({ callId, toolName: 'weather', arguments: {} }));
        const toolResults = answered.map((callId, index) => ({
          callId,
          toolName: 'weather',
          status: 'success',
          output: `${callId}${index}`,
        }));
        const turn = { content: 'Let me see.', toolCalls, toolResults };
        const { valid, problems } = middleware.validateResponse(turn);
        expect(valid).toBe(plainMatch(calls, answered).matches);
        const rules = problems.map(({ rule }) => rule);
        const match = plainMatch(calls, answered);
        expect(rules.includes('count-mismatch')).toBe(calls.length !== answered.length);
        expect(rules.filter((rule) => rule === 'missing-result')).toHaveLength(match.missing.length);
        expect(rules.filter((rule) => rule === 'orphan-result' || rule === 'duplicate-result')).toHaveLength(
          new Set(match.unexpected).size,
        );

        const { response } = middleware.sanitizeResponse(turn);
        expect(response.toolResults.map(({ callId }) => callId)).toEqual(calls);
        for (const [index, callId] of calls.entries()) {
          const first = answered.indexOf(callId);
          const expected =
            first < 0 ? { status: 'error', error: { code: 'RESULT_MISSING' } } : { status: 'success', output: `${callId}${first}` };
          expect(response.toolResults[index]).toMatchObject(expected);
        }
        if (valid) expect(response).toBe(turn);
      }),
      propertyRuns(300),
    );
  },
);
