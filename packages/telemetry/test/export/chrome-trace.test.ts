/** A turn as opened by Perfetto. */
import { defineTool, ToolExecutionService, type TraceEvent } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import type { ChromeEvent, ChromeTrace } from '@holdfast/telemetry/export';
import { toChromeTrace } from '@holdfast/telemetry/export';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupBy } from '../support/group-by.ts';
import { fullTurn, plannedTurns, recorded } from '../support/turns.ts';

const slices = ({ traceEvents }: ChromeTrace): readonly Required<ChromeEvent>[] => traceEvents.filter(({ ph }) => ph === 'X') as never;
const titles = ({ traceEvents }: ChromeTrace): ReadonlyMap<number, unknown> =>
  new Map(traceEvents.flatMap(({ name, tid, args }) => (name === 'thread_name' ? [[tid, args?.['name']] as const] : [])));

test('rows for the turn and each call, with attempts and waits', async () => {
  const trace = toChromeTrace(await recorded(fullTurn));
  const rows = titles(trace);
  expect([...rows.values()]).toEqual([
    'turn',
    'tool-0 (call-0)',
    'tool-2 (call-2)',
    'tool-3 (call-3)',
    'tool-5 (call-5)',
    'tool-5 (call-5) hedged',
    'tool-1 (call-1)',
  ]);
  const first = slices(trace).filter(({ tid }) => rows.get(tid) === 'tool-0 (call-0)');
  expect(first.map(({ name, ts, dur }) => [name, ts, Math.round(dur / 1_000)])).toEqual([
    ['execute_tool tool-0', 0, expect.any(Number)],
    ['tool_attempt tool-0', 0, 10],
    ['tool_attempt tool-0', expect.any(Number), 10],
    ['backoff', 10_000, expect.any(Number)],
  ]);
  const decisions = trace.traceEvents.filter(({ ph, name }) => ph === 'i' && name.startsWith('decision'));
  expect(decisions.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['decision: retry', 'decision: use_alternative', 'decision: escalate']),
  );
  expect(trace.displayTimeUnit).toBe('ms');
});

test('an arrow from the end of a dependency to the call that waited for it', async () => {
  const trace = toChromeTrace(await recorded(fullTurn));
  const rows = titles(trace);
  const [from, to, ...more] = trace.traceEvents.filter(({ ph }) => ph === 's' || ph === 'f');
  expect(more).toEqual([]);
  expect([from?.ph, rows.get(from?.tid ?? 0), to?.ph, rows.get(to?.tid ?? 0), to?.bp]).toEqual([
    's',
    'tool-0 (call-0)',
    'f',
    'tool-1 (call-1)',
    'e',
  ]);
  expect(from?.id).toBe(to?.id);
  expect(Number(from?.ts)).toBeLessThanOrEqual(Number(to?.ts));
});

test('concurrent attempts have separate rows', async () => {
  const hedged = { takesMs: 90, failures: 0, status: 503, dependsOn: [], optional: false, alternative: false, hedge: true };
  const events = await recorded({ steps: [hedged], timeoutMs: 300_000, concurrency: 4, seed: 'h' });
  expect(events.filter(({ event_type }) => event_type === 'AttemptStarted')).toHaveLength(2);
  const trace = toChromeTrace(events);
  expect(new Set(slices(trace).flatMap(({ cat, tid }) => (cat === 'attempt' ? [tid] : []))).size).toBe(2);
});

test.each([
  ['concurrency', {}, 'queue', {}],
  ['retry_after', { held_ms: 30_000 }, 'retry_after', { 'holdfast.held': 30 }],
  ['retry_budget', {}, 'retry_budget', {}],
  ['recovery', {}, 'recovery', {}],
] as const)(
  'a wait for %s is a slice until the attempt begins, with the time that a server held the tool',
  async (wait, held, name, args) => {
    const system = manualSystem();
    const events: TraceEvent[] = [];
    const run = (): Promise<void> => new Promise((resolve) => void system.setTimer(25, resolve));
    const service = new ToolExecutionService({ tools: [defineTool({ name: 'one', concurrency: { limit: 1, queue: 1 }, run })], system });
    service.subscribe((event) => void events.push(event.event_type === 'AdmissionWaiting' ? { ...event, wait, ...held } : event));
    const calls = ['first', 'second'].map((callId) => ({ callId, toolName: 'one' }));
    await system.until(service.executeTurn({ calls }));
    const trace = toChromeTrace(events);
    const waits = slices(trace).filter(({ cat }) => cat === 'wait');
    expect(waits.map((each) => [each.name, titles(trace).get(each.tid), each.ts, each.dur, each.args])).toEqual([
      [name, 'one (second)', 0, 25_000, args],
    ]);
  },
);

test('no events are a trace without rows', () => {
  expect(toChromeTrace([]).traceEvents).toEqual([]);
});

test('for any turn: slices of a row are nested or disjoint, and everything is plain JSON', async () => {
  await fc.assert(
    fc.asyncProperty(plannedTurns, async (planned) => {
      const trace = toChromeTrace(await recorded(planned));
      expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
      for (const row of groupBy(slices(trace), ({ tid }) => tid).values()) {
        for (const one of row) {
          expect(one.ts).toBeGreaterThanOrEqual(0);
          expect(one.dur).toBeGreaterThanOrEqual(0);
          for (const other of row) {
            const [start, end, from, to] = [one.ts, one.ts + one.dur, other.ts, other.ts + other.dur].map((time) =>
              Math.round(time * 1_000),
            ) as [number, number, number, number];
            const apart = end <= from || to <= start;
            const within = (start <= from && to <= end) || (from <= start && end <= to);
            expect(apart || within, `${one.name} and ${other.name}`).toBe(true);
          }
        }
      }
    }),
    { numRuns: 40 },
  );
});
