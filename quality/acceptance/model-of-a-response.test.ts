/** Random incomplete turns: what is missing is completed, what is out of place is moved, nothing is invented, and what is whole is not touched. */
/* oxlint-disable vitest/no-conditional-expect -- the plain program says what is expected */
import { ToolExecutionService } from '@holdfast/core';
import { ResponseValidationMiddleware, type ToolTurn } from '@holdfast/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectTruthful } from './support/conversation.ts';
import { propertyRuns } from './support/property-runs.ts';

type Json = Readonly<Record<string, unknown>>;

const callIds = ['a', 'b', 'c'] as const;
const names = ['weather', 'hotels'] as const;

/** Calls as models and clients write them; the last three are none. */
const calls: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ callId: fc.constantFrom(...callIds), toolName: fc.constantFrom(...names), arguments: fc.constant({}) }),
  },
  { weight: 1, arbitrary: fc.record({ toolName: fc.constantFrom(...names) }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>({ callId: 'a' }, { callId: 'b', toolName: '' }, null, 'weather') },
);

const results: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        callId: fc.constantFrom(...callIds, 'call-1', 'nowhere'),
        toolName: fc.constantFrom(undefined, ...names),
        status: fc.constantFrom(undefined, 'success', 'success', 'error', 'timeout', 'weird'),
        output: fc.constantFrom(undefined, 21, 'sunny'),
        error: fc.constantFrom<unknown>(undefined, undefined, 'no such city', { message: 'no such city' }, {}, 7),
      })
      .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 'sunny', 7) },
);

const listOf = (entries: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.uniqueArray(entries, { maxLength: 4, selector: (entry) => (entry as Json | null)?.['callId'] ?? Symbol('own') }),
    },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, null, 'x', {}) },
  );
const contents = fc.constantFrom<unknown>(undefined, null, '', 'Let me see.', 7, false, {}, []);

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Json)[field] : undefined;
const hasName = (call: unknown): boolean => typeof fieldOf(call, 'toolName') === 'string' && fieldOf(call, 'toolName') !== '';
const entriesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
const isOneOf = (value: unknown, ...others: readonly unknown[]): boolean => others.includes(value);

/** The status that a result has to get: its own, or one that its output and error allow. */
function statusOf(result: unknown): unknown {
  const given = fieldOf(result, 'status');
  if (isOneOf(given, 'success', 'error', 'timeout')) return given;
  return fieldOf(result, 'error') === undefined && fieldOf(result, 'output') !== undefined ? 'success' : 'error';
}

/** Whether nothing is missing: text, calls of tools, and for each of them one result that says how it ended, in their order. */
function isWhole(content: unknown, toolCalls: unknown, toolResults: unknown): boolean {
  const [asked, given] = [entriesOf(toolCalls), entriesOf(toolResults)];
  const isListOrNone = (value: unknown): boolean => Array.isArray(value) || isOneOf(value, undefined, null);
  const isTold = (result: unknown): boolean =>
    fieldOf(result, 'status') === 'success' ||
    (isOneOf(fieldOf(result, 'status'), 'error', 'timeout') && typeof fieldOf(fieldOf(result, 'error'), 'message') === 'string');
  const idOf = (entry: unknown): unknown => {
    const id = fieldOf(entry, 'callId');
    return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : undefined;
  };
  const isAnswered = (call: unknown, index: number): boolean =>
    idOf(given[index]) === (idOf(call) ?? `call-${index + 1}`) &&
    (!hasName(given[index]) || fieldOf(given[index], 'toolName') === fieldOf(call, 'toolName'));
  return (
    (typeof content === 'string' || isOneOf(content, undefined, null)) &&
    isListOrNone(toolCalls) &&
    isListOrNone(toolResults) &&
    asked.length === given.length &&
    asked.every(hasName) &&
    asked.every((call) => isArguments(fieldOf(call, 'arguments'))) &&
    given.every(isTold) &&
    asked.every(isAnswered)
  );
}

const nothing: unknown = undefined;
/** A whole turn in which at most two fields have become something else: what is wrong is wrong in one place. */
const damagedTurns: fc.Arbitrary<Json> = fc
  .record({
    ends: fc.array(fc.constantFrom('success', 'error', 'timeout'), { maxLength: 3 }),
    damages: fc.array(
      fc.record({
        list: fc.constantFrom('toolCalls' as const, 'toolResults' as const, 'toolResults' as const),
        at: fc.nat(2),
        field: fc.constantFrom('callId', 'toolName', 'status', 'error', 'arguments', 'output'),
        value: fc.constantFrom<unknown>(nothing, null, 'b', '', 'timeout', 'error', 'success', {}, { message: 'no' }, 7),
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ ends, damages }) => {
    const turn = {
      content: 'Let me see.',
      toolCalls: ends.map((_, index) => ({ callId: callIds[index], toolName: 'weather', arguments: {} })),
      toolResults: ends.map((status, index) => ({
        callId: callIds[index],
        toolName: 'weather',
        status,
        ...(status === 'success' ? { output: 21 } : { error: { message: 'no such city' } }),
      })),
    };
    for (const { list, at, field, value } of damages) if (turn[list][at]) (turn[list][at] as Record<string, unknown>)[field] = value;
    return turn;
  });
const turns: fc.Arbitrary<Json> = fc.oneof(
  damagedTurns,
  fc.record({ content: contents, toolCalls: listOf(calls), toolResults: listOf(results) }),
);
const isArguments = (value: unknown): boolean =>
  isOneOf(value, undefined, null) || typeof value === 'string' || (typeof value === 'object' && !Array.isArray(value));

test('what is wrong with a turn is found, and counts once each time', { tags: ['S4-response-validation', 'S4-alerts'] }, () => {
  const records: { readonly stage: string; readonly problems: readonly unknown[] }[] = [];
  const service = new ToolExecutionService({ tools: [] });
  service.subscribe((event) => void (event.event_type === 'ResponseValidationFailed' && records.push(event)));
  const middleware = new ResponseValidationMiddleware({ service, tools: ['weather'] });
  fc.assert(
    fc.property(turns, (given) => {
      records.length = 0;
      const { content, toolCalls, toolResults } = given;
      const turn = given as ToolTurn;
      const unknown = entriesOf(toolCalls).filter((call) => hasName(call) && fieldOf(call, 'toolName') !== 'weather');
      const { valid, problems } = middleware.validateResponse(turn);
      expect(valid, JSON.stringify(turn)).toBe(unknown.length === 0 && isWhole(content, toolCalls, toolResults));
      expect(valid).toBe(problems.length === 0);
      const left = middleware.sanitizeResponse(turn).problems;
      expect(left.map(({ rule }) => rule)).toEqual(unknown.map(() => 'unknown-tool'));
      const found = [problems, left].filter((list) => list.length > 0);
      expect(records.map(({ stage, problems: recorded }) => [stage, recorded.length])).toEqual(
        found.map((list) => ['response', list.length]),
      );
    }),
    propertyRuns(800),
  );
});

test(
  'an incomplete turn becomes a valid one: every call keeps its own result, or gets an error',
  { tags: ['S4-auto-correction', 'S4-response-validation', 'S4-middleware-methods'] },
  () => {
    const middleware = new ResponseValidationMiddleware();
    fc.assert(
      fc.property(contents, listOf(calls), listOf(results), (content, toolCalls, toolResults) => {
        const turn = { content, toolCalls, toolResults } as ToolTurn;
        const before = middleware.validateResponse(turn);
        const { response, changes, problems } = middleware.sanitizeResponse(turn);
        expect(problems).toEqual([]);
        expect(middleware.validateResponse(response)).toMatchObject({ valid: true, problems: [] });
        expect(middleware.sanitizeResponse(response).response).toBe(response);
        if (before.valid) expect(typeof response.content === 'string' || content === undefined || content === null).toBe(true);
        for (const { message } of before.problems) expect(message).toMatch(/\S/u);
        expectTruthful(changes, turn, response);
        for (const { action, path, after } of changes)
          if (action === 'edited' && isOneOf(path, 'content', 'toolCalls')) expect(after, path).toEqual(fieldOf(response, path));

        const kept = entriesOf(toolCalls).flatMap((call, index) => (hasName(call) ? [{ call, index }] : []));
        expect(entriesOf(response.toolCalls).map((call) => fieldOf(call, 'toolName'))).toEqual(
          kept.map(({ call }) => fieldOf(call, 'toolName')),
        );
        const answers = entriesOf(response.toolResults);
        expect(answers).toHaveLength(kept.length);
        for (const [at, { call, index }] of kept.entries()) {
          const id = fieldOf(call, 'callId') ?? `call-${index + 1}`;
          const own = entriesOf(toolResults).find((result) => fieldOf(result, 'callId') === id);
          const isOfIt = own !== undefined && isOneOf(fieldOf(own, 'toolName'), undefined, fieldOf(call, 'toolName'));
          const answer = answers[at];
          expect(fieldOf(answer, 'callId')).toBe(id);
          const isKept = isOfIt && fieldOf(own, 'status') === statusOf(own);
          expect(fieldOf(answer, 'status')).toBe(isOfIt ? statusOf(own) : 'error');
          expect(fieldOf(answer, 'output')).toBe(isOfIt ? fieldOf(own, 'output') : undefined);
          const error = fieldOf(answer, 'error');
          const said = fieldOf(own, 'error');
          if (fieldOf(answer, 'status') !== 'success') {
            expect(fieldOf(error, 'message')).toMatch(/\S/u);
            if (isOfIt && said === 'no such city') expect(fieldOf(error, 'message')).toBe(said);
            if (isKept && typeof fieldOf(said, 'message') === 'string') expect(answer).toBe(own);
            // Whole, as S4 shows a result.
            if (!isOfIt)
              expect(answer).toEqual({
                toolName: fieldOf(call, 'toolName'),
                callId: id,
                status: 'error',
                error: {
                  code: 'RESULT_MISSING',
                  message: expect.stringMatching(/\S/u) as string,
                  userMessage: expect.stringMatching(/\S/u) as string,
                  retryable: false,
                },
                executionTime: 0,
              });
          } else if (isKept) expect(answer).toBe(own);
        }
      }),
      propertyRuns(400),
    );
  },
);
