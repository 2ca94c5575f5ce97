/** For any input a repair returns: it neither throws nor modifies its input. */
import { formats, repair, ResponseValidationMiddleware, validate, type Format } from '@holdfast/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const throwing = (): object => ({
  get messages(): unknown {
    throw new Error('no');
  },
});
const circular = (): object => {
  const input: Record<string, unknown> = { a: 1 };
  input['self'] = input;
  return {
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 't', input }] },
      { role: 'user', content: 'x' },
    ],
  };
};
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return { messages: [proxy], contents: [proxy], input: [proxy] };
};
const deep = (): object => {
  let input: unknown = {};
  for (let level = 0; level < 50_000; level += 1) input = { input };
  return {
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 't', input }] },
      { role: 'user', content: 'x' },
    ],
  };
};
const odd: readonly unknown[] = [
  null,
  undefined,
  5,
  'text',
  [],
  {},
  () => 1,
  Symbol('s'),
  10n,
  new Map(),
  throwing(),
  circular(),
  revoked(),
  deep(),
];

describe.each(formats)('%s', (format) => {
  test('unusual requests', () => {
    for (const request of odd) {
      const { changes, problems } = repair(request, { format });
      expect(validate(request, { format }).valid).toBe(changes.length + problems.length === 0);
    }
  });

  test('a value that is not a request is a problem', () => {
    for (const request of [null, undefined, 5, 'text', 10n]) expect(repair(request, { format }).problems).toHaveLength(1);
  });

  test('any value as messages', () => {
    fc.assert(
      fc.property(
        fc.array(fc.anything({ maxDepth: 4, withBigInt: true, withDate: true, withMap: true, withNullPrototype: true })),
        (list) => {
          const request = { messages: list, contents: list, input: list, tools: list, toolConfig: { tools: list } };
          const { request: repaired } = repair(request, { format });
          const again = repair(repaired, { format });
          expect(again.changes).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('frozen requests', () => {
    const request = Object.freeze({
      messages: Object.freeze([
        Object.freeze({ role: 'tool', tool_call_id: 'x', content: 'y' }),
        Object.freeze({ role: 'user', content: 'x' }),
      ]),
      contents: Object.freeze([Object.freeze({ role: 'model', parts: Object.freeze([Object.freeze({ functionCall: { name: 'a' } })]) })]),
      input: Object.freeze([Object.freeze({ type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' })]),
    });
    expect(() => repair(request, { format })).not.toThrow();
  });
});

test('values that are not JSON are replaced by plain values', () => {
  const input: Record<string, unknown> = {
    at: new Date(0),
    big: 12n,
    map: new Map([['a', 1]]),
    none: undefined,
    half: 'a\ud800',
    no: Number.NaN,
  };
  input['self'] = input;
  const request = {
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 't', input }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'json', value: { at: new Date(0) } } }],
      },
    ],
  };
  const { request: repaired, changes } = repair(request, { format: 'ai-sdk' });
  const plain = { at: '1970-01-01T00:00:00.000Z', big: '12', map: { a: 1 }, half: 'a\uFFFD', no: null, self: '[left out]' };
  expect(repaired.messages[1]?.content).toEqual([{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: plain }]);
  expect(JSON.stringify(repaired.messages[2])).toContain('"value":{"at":"1970-01-01T00:00:00.000Z"}');
  expect(new Set(changes.map(({ rule }) => rule))).toEqual(new Set(['json-value', 'unicode']));
  expect(input['big']).toBe(12n);
});

test('the middleware never throws', () => {
  const middleware = new ResponseValidationMiddleware({
    onReport: () => {
      throw new Error('listener');
    },
  });
  for (const value of odd) {
    expect(middleware.validateRequest(value).valid).toBe(false);
    expect(middleware.validateResponse(value)).toBeTypeOf('object');
    expect(middleware.sanitizeResponse(value)).toBeTypeOf('object');
    expect(middleware.createErrorResponse(value).content).toBeTypeOf('string');
    expect(middleware.validateToolCallResultMatch(value as never, value as never)).toBeTypeOf('object');
  }
});

test.each<Format>(['openai-chat', 'anthropic-messages', 'gemini'])('%s: the time grows linearly with the transcript', (format) => {
  const time = (length: number): number => {
    const request = long(format, length);
    let best = Infinity;
    for (let round = 0; round < 5; round += 1) {
      const start = process.cpuUsage().user;
      repair(request, { format });
      best = Math.min(best, process.cpuUsage().user - start);
    }
    return best;
  };
  time(500);
  // Eight times as long; quadratic growth would be sixty-four times. A garbage collection may affect one of them, but not all.
  let ratio = Infinity;
  for (let measured = 0; measured < 3 && ratio >= 32; measured += 1) ratio = time(16_000) / Math.max(time(2000), 1);
  expect(ratio).toBeLessThan(32);
});

/** Steps of a call and its result; every third one has no result. */
function long(format: Format, length: number): object {
  const steps = Array.from({ length: length / 2 }, (_, index) => index);
  if (format === 'gemini') {
    const contents = steps.flatMap((index) => [
      { role: 'model', parts: [{ functionCall: { name: 't', args: { index } } }] },
      { role: 'user', parts: index % 3 === 0 ? [{ text: 'wait' }] : [{ functionResponse: { name: 't', response: { index } } }] },
    ]);
    return { contents };
  }
  const messages: readonly object[] = steps.flatMap((index): readonly object[] =>
    format === 'openai-chat'
      ? [
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: `c${index}`, type: 'function', function: { name: 't', arguments: '{}' } }],
          },
          index % 3 === 0 ? { role: 'user', content: 'wait' } : { role: 'tool', tool_call_id: `c${index}`, content: 'done' },
        ]
      : [
          { role: 'assistant', content: [{ type: 'tool_use', id: `c${index}`, name: 't', input: { index } }] },
          { role: 'user', content: index % 3 === 0 ? 'wait' : [{ type: 'tool_result', tool_use_id: `c${index}`, content: 'done' }] },
        ],
  );
  return { messages };
}
