/** A turn as received by a collector. */
import type { OtlpSpan, OtlpTraces } from '@holdfast/telemetry/export';
import { toOtlpJson } from '@holdfast/telemetry/export';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startCollector } from '../support/otlp-collector.ts';
import { fullTurn, plannedTurns, recorded } from '../support/turns.ts';

const spansOf = (traces: OtlpTraces): readonly OtlpSpan[] =>
  traces.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
const valueOf = (span: OtlpSpan, name: string): unknown => Object.values(span.attributes.find(({ key }) => key === name)?.value ?? {})[0];

async function send(url: string, body: unknown): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return response.status === 200 ? 'taken' : await response.text();
}

test('a strict collector accepts it', async () => {
  const { url, received } = await startCollector();
  const traces = toOtlpJson(await recorded(fullTurn), { serviceName: 'travel', content: true });
  expect(await send(url, traces)).toBe('taken');
  expect(received).toEqual([JSON.parse(JSON.stringify(traces))]);
  expect(traces.resourceSpans[0]?.resource.attributes).toEqual([{ key: 'service.name', value: { stringValue: 'travel' } }]);
  // The collector does reject invalid fields.
  expect(
    await send(url, { resourceSpans: [{ scopeSpans: [{ spans: [{ ...spansOf(traces)[0], kind: 'SPAN_KIND_INTERNAL' }] }] }] }),
  ).toContain('.kind: wanted');
});

test('the tree of a turn with all kinds of events', async () => {
  const spans = spansOf(toOtlpJson(await recorded(fullTurn)));
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const lines = spans.map(
    (span) => `${span.name} < ${byId.get(span.parentSpanId ?? '')?.name ?? 'nothing'}${span.status.code === 2 ? ' !' : ''}`,
  );
  expect(lines).toEqual([
    'holdfast.turn < nothing',
    'execute_tool tool-0 < holdfast.turn',
    'execute_tool tool-2 < holdfast.turn',
    'execute_tool tool-3 < holdfast.turn !',
    'execute_tool tool-5 < holdfast.turn',
    'tool_attempt tool-0 < execute_tool tool-0 !',
    'tool_attempt tool-2 < execute_tool tool-2 !',
    'tool_attempt tool-3 < execute_tool tool-3 !',
    'tool_attempt tool-5 < execute_tool tool-5',
    'execute_tool spare < execute_tool tool-2',
    'tool_attempt spare < execute_tool spare',
    'tool_attempt tool-5 < execute_tool tool-5',
    'tool_attempt tool-0 < execute_tool tool-0',
    'execute_tool tool-1 < holdfast.turn',
    'tool_attempt tool-1 < execute_tool tool-1',
  ]);
  const named = (name: string): OtlpSpan | undefined => spans.find((span) => span.name === name);
  expect(named('execute_tool tool-1')?.links.map(({ spanId }) => byId.get(spanId)?.name)).toEqual(['execute_tool tool-0']);
  expect(named('holdfast.turn')?.events.map(({ name }) => name)).toContain('holdfast.call.skipped');
  expect(named('holdfast.turn')?.startTimeUnixNano).toBe(String(BigInt(Date.UTC(2025, 10, 5, 10, 30, 45)) * 1_000_000n));
});

test('the ids belong to the turn: the same each time, different for every other turn', async () => {
  const first = toOtlpJson(await recorded(fullTurn));
  expect(toOtlpJson(await recorded(fullTurn))).toEqual(first);
  const other = toOtlpJson(await recorded({ ...fullTurn, seed: 'other' }));
  const ids = [...spansOf(first), ...spansOf(other)].flatMap(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set([...spansOf(first), ...spansOf(other)].map(({ traceId }) => traceId)).size).toBe(2);
});

test('an interrupted turn ends at its last event', async () => {
  const events = await recorded(fullTurn);
  const [turn, ...rest] = spansOf(toOtlpJson(events.slice(0, 8)));
  expect(turn && valueOf(turn, 'holdfast.unfinished')).toBe(true);
  expect(rest.length).toBeGreaterThan(0);
  expect(toOtlpJson([]).resourceSpans[0]?.scopeSpans[0]?.spans).toEqual([]);
});

test('for any turn: spans lie within their parents, and match the events', async () => {
  const { url } = await startCollector();
  await fc.assert(
    fc.asyncProperty(plannedTurns, async (planned) => {
      const events = await recorded(planned);
      const traces = toOtlpJson(events);
      const spans = spansOf(traces);
      const byId = new Map(spans.map((span) => [span.spanId, span]));
      expect(byId.size).toBe(spans.length);
      for (const span of spans) {
        expect(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano)).toBe(true);
        const parent = byId.get(span.parentSpanId ?? '');
        expect(parent === undefined).toBe(span.name === 'holdfast.turn');
        if (!parent) continue;
        expect(BigInt(parent.startTimeUnixNano) <= BigInt(span.startTimeUnixNano)).toBe(true);
        expect(BigInt(span.endTimeUnixNano) <= BigInt(parent.endTimeUnixNano)).toBe(true);
      }
      expect(spans.some((span) => valueOf(span, 'holdfast.unfinished') !== undefined)).toBe(false);
      const count = (type: string): number => events.filter(({ event_type }) => event_type === type).length;
      expect(spans.filter(({ name }) => name.startsWith('tool_attempt')).length).toBe(count('AttemptStarted'));
      expect(spans.filter(({ name }) => name.startsWith('execute_tool')).length).toBe(count('CallStarted') + count('AlternativeUsed'));
      const results = new Map(events.flatMap((event) => (event.event_type === 'CallCompleted' ? [[event.call_id, event] as const] : [])));
      const ended = spans.flatMap((span) => {
        const result = results.get(String(valueOf(span, 'gen_ai.tool.call.id')));
        return result ? [{ span, succeeded: result.status === 'success' }] : [];
      });
      for (const { span, succeeded } of ended)
        expect([span.status.code, valueOf(span, 'error.type') === undefined]).toEqual(succeeded ? [0, true] : [2, false]);
      expect(await send(url, traces)).toBe('taken');
    }),
    { numRuns: 40 },
  );
});
