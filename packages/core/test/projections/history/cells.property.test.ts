/** Cells agree with a naive count of the trace, and lose nothing when they are merged, taken in pieces, packed and unpacked. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callsOf, type Cell, createCell, mergeCell, packCell, unpackCell } from '../../../src/projections/history/cell.ts';
import { createHistory } from '../../../src/projections/history/history.ts';
import type { FineCell } from '../../../src/projections/history/cell-fold.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import { anyScene, play } from './scenes.ts';

const isKnown = (tool: string): boolean => tool !== 'unregistered';

function foldOf(events: readonly TraceEvent[], takeAfter: (index: number) => boolean = () => false): readonly FineCell[] {
  const history = createHistory({ isKnown });
  const cells: FineCell[] = [];
  for (const [index, event] of events.entries()) {
    history.observe(event);
    if (takeAfter(index)) cells.push(...history.take().cells);
  }
  return [...cells, ...history.take().cells];
}

/** All cells of a tool, merged. */
function totalOf(cells: readonly FineCell[], tool: string): Cell {
  const total = createCell();
  for (const { cell } of cells.filter((each) => each.toolName === tool)) mergeCell(total, cell);
  return total;
}

/** A cell in comparable form: without the order of names, and with sums rounded. */
function normalized({ counts, denied, errors, calls, attempts }: Cell): unknown {
  const numbers = Object.fromEntries(Object.entries(counts).map(([key, value]) => [key, Math.round(value * 1_000) / 1_000]));
  const sketches = [calls, attempts].map(
    (sketch) => sketch && [sketch.count, sketch.min, sketch.max, sketch.quantile(0.5), sketch.quantile(0.95)],
  );
  return { numbers, denied: Object.fromEntries(denied), errors: Object.fromEntries(errors), sketches };
}

const tools = ['one', 'two', '(unknown)'] as const;

it('a cell agrees with a naive count', async () => {
  await fc.assert(
    fc.asyncProperty(anyScene, async (options) => {
      const { events } = await play(options);
      const cells = foldOf(events);
      const starts = events.filter((event) => event.event_type === 'AttemptStarted');
      const isOfCall = (one: (typeof starts)[number], other: (typeof starts)[number]): boolean =>
        one.turn_id === other.turn_id && one.call_id === other.call_id && one.tool_id === other.tool_id;
      const retries = starts.filter((start) => starts.some((other) => isOfCall(start, other) && other.attempt < start.attempt));
      for (const tool of tools) {
        const name = tool === '(unknown)' ? 'unregistered' : tool;
        const of = <Type extends TraceEvent['event_type']>(type: Type): readonly Extract<TraceEvent, { event_type: Type }>[] =>
          events.filter(
            (event): event is Extract<TraceEvent, { event_type: Type }> =>
              event.event_type === type && 'tool_id' in event && event.tool_id === name,
          );
        const { counts, errors, calls } = totalOf(cells, tool);
        const ended = of('CallCompleted');
        const retriesOf = ({ turn_id, call_id }: { readonly turn_id: string; readonly call_id: string }): number =>
          retries.filter((event) => event.turn_id === turn_id && event.call_id === call_id).length;
        const answered = ended.filter(({ status, fallback_used }) => status === 'success' || fallback_used === true);
        const firstTry = answered.filter((call) => call.status === 'success' && call.fallback_used !== true && retriesOf(call) === 0);
        expect(callsOf(counts)).toBe(ended.length);
        expect(counts.first_try).toBe(firstTry.length);
        expect(counts.recovered).toBe(answered.length - firstTry.length);
        expect(counts.cancelled).toBe(0);
        expect(counts.failed + counts.rejected).toBe(ended.length - answered.length);
        expect(counts.rejected).toBe(ended.filter(({ code }) => code === 'UNKNOWN_TOOL').length);
        expect(counts.refused).toBe(
          ended.filter(
            (call) =>
              !answered.includes(call) &&
              call.attempts === 0 &&
              of('CallRefused').some(({ turn_id, call_id }) => turn_id === call.turn_id && call_id === call.call_id),
          ).length,
        );
        expect(counts.attempts).toBe(of('AttemptStarted').length);
        expect(counts.retries).toBe(retries.filter(({ tool_id }) => tool_id === name).length);
        expect(counts.retried_calls).toBe(ended.filter((call) => retriesOf(call) > 0).length);
        expect(counts.retried_successes).toBe(answered.filter((call) => retriesOf(call) > 0).length);
        expect([...errors.values()].reduce((sum, count) => sum + count, 0)).toBe(
          of('ToolError').filter(({ attempt }) => attempt > 0).length,
        );
        expect(calls?.count ?? 0).toBe(ended.filter(({ attempts }) => attempts > 0).length);
        // The phases add up to the whole time.
        const spent = Object.entries(counts)
          .filter(([part]) => part.endsWith('_ms'))
          .reduce((sum, [, ms]) => sum + ms, 0);
        // Without a hedge, what succeeded is work, and nothing else is. Time counts for the tool that was asked for.
        const succeeded = events
          .filter((event) => event.event_type === 'ToolSucceeded')
          .filter((success) => ended.some((call) => call.turn_id === success.turn_id && call.call_id === success.call_id))
          .reduce((sum, { duration_ms: ms }) => sum + ms, 0);
        expect(counts.work_ms).toBeCloseTo(succeeded, 3);
        expect(counts.run).toBe(ended.filter(({ attempts }) => attempts > 0).length);
        expect(counts.run_attempts).toBe(ended.reduce((sum, { attempts }) => sum + attempts, 0));
        expect(spent).toBeCloseTo(
          ended.reduce((sum, { execution_time_ms: ms }) => sum + ms, 0),
          3,
        );
      }
    }),
    { numRuns: 60 },
  );
});

it('cells taken in pieces add up to the cells taken at once', async () => {
  await fc.assert(
    fc.asyncProperty(anyScene, fc.integer({ min: 1, max: 20 }), async (options, every) => {
      const { events } = await play(options);
      const [whole, pieces] = [foldOf(events), foldOf(events, (index) => index % every === 0)];
      for (const tool of tools) expect(normalized(totalOf(pieces, tool))).toEqual(normalized(totalOf(whole, tool)));
    }),
    { numRuns: 30 },
  );
});

it('steps merged into longer ones agree with a count over the longer ones', async () => {
  await fc.assert(
    fc.asyncProperty(anyScene, fc.constantFrom(2_000, 10_000, 60_000), async (options, stepMs) => {
      const { events } = await play(options);
      const coarse = new Map<string, Cell>();
      for (const { toolName: tool, at, cell } of foldOf(events)) {
        const key = `${tool} ${Math.floor(at / stepMs)}`;
        const into = coarse.get(key) ?? createCell();
        mergeCell(into, unpackCell(packCell(cell)));
        coarse.set(key, into);
      }
      const steps = new Set(events.map(({ timestamp }) => Math.floor(Date.parse(timestamp) / stepMs)));
      for (const tool of tools) {
        const name = tool === '(unknown)' ? 'unregistered' : tool;
        for (const step of steps) {
          const attempts = events.filter(
            (event) =>
              event.event_type === 'AttemptStarted' && event.tool_id === name && Math.floor(Date.parse(event.timestamp) / stepMs) === step,
          );
          expect(coarse.get(`${tool} ${step}`)?.counts.attempts ?? 0).toBe(attempts.length);
        }
      }
    }),
    { numRuns: 20 },
  );
});

it('the recent past agrees with the cells', async () => {
  await fc.assert(
    fc.asyncProperty(anyScene, async (options) => {
      const { events, now } = await play(options);
      const history = createHistory({ isKnown });
      for (const event of events) history.observe(event);
      const { cells } = history.take();
      const recent = cells.filter(({ at }) => at >= Math.floor(now / 5_000) * 5_000 - 295_000);
      for (const tool of tools) {
        expect(normalized({ ...createCell(), counts: history.countsOf(tool, now) })).toEqual(
          normalized({ ...createCell(), counts: totalOf(recent, tool).counts }),
        );
        expect(history.latenciesOf(tool, now).count).toBe(totalOf(recent, tool).calls?.count ?? 0);
      }
    }),
    { numRuns: 30 },
  );
});

it('a cell survives packing and unpacking', () => {
  const cell = createCell();
  cell.counts.failed = 3;
  cell.counts.queue_ms = 1.5;
  cell.denied.set('deadline', 2);
  cell.errors.set('NETWORK_ERROR', 4);
  expect(normalized(unpackCell(packCell(cell)))).toEqual(normalized(cell));
  // Packed by an earlier version with fewer numbers.
  expect(unpackCell({ counts: [7], denied: {}, errors: {} }).counts).toMatchObject({ first_try: 7, failed: 0 });
});
