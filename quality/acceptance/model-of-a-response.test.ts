/** Random incomplete turns: what is missing is completed, what is out of place is moved, nothing is invented, and what is whole is not touched. */
/* oxlint-disable vitest/no-conditional-expect -- the plain program says what is expected */
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
          const isWhole = isOfIt && fieldOf(own, 'status') === statusOf(own);
          expect(fieldOf(answer, 'status')).toBe(isOfIt ? statusOf(own) : 'error');
          expect(fieldOf(answer, 'output')).toBe(isOfIt ? fieldOf(own, 'output') : undefined);
          const error = fieldOf(answer, 'error');
          const said = fieldOf(own, 'error');
          if (fieldOf(answer, 'status') !== 'success') {
            expect(fieldOf(error, 'message')).toMatch(/\S/u);
            if (isOfIt && said === 'no such city') expect(fieldOf(error, 'message')).toBe(said);
            if (isWhole && typeof fieldOf(said, 'message') === 'string') expect(answer).toBe(own);
            if (!isOfIt)
              expect(error).toMatchObject({
                code: 'RESULT_MISSING',
                retryable: false,
                userMessage: expect.stringMatching(/\S/u) as string,
              });
          } else if (isWhole) expect(answer).toBe(own);
        }
      }),
      propertyRuns(400),
    );
  },
);
