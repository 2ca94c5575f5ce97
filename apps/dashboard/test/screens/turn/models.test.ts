import type { TraceEvent } from '@holdfast/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildCascade } from '../../../src/screens/turn/cascade/cascade.model.ts';
import { computeLayout } from '../../../src/screens/turn/cascade/layout.ts';
import { toNdjson, eventTypes, filterEvents } from '../../../src/screens/turn/events/event-list.model.ts';
import { createTurnEvents } from '../../../src/screens/turn/turn-events.model.ts';
import { interruptTurn, turnTotals, type TurnView } from '@holdfast/core/turn-view';
import { lossesOf, runningFor, turnStats } from '../../../src/screens/turn/stats.model.ts';
import { buildLedger, type Spending } from '../../../src/screens/turn/ledger/ledger.model.ts';
import { listRepairs } from '../../../src/screens/turn/repairs/repairs.model.ts';
import {
  isWhole,
  moveSpan,
  spanOf,
  spanText,
  computeTicks,
  wholeSpan,
  xOf,
  zoomSpan,
} from '../../../src/screens/turn/waterfall/axis.model.ts';
import { barsOf } from '../../../src/screens/turn/waterfall/bars.model.ts';
import { findCriticalPath } from '../../../src/screens/turn/waterfall/critical-path.model.ts';
import { rowsOf } from '../../../src/screens/turn/waterfall/rows.model.ts';
import { circuitText, describeSegment, failureText } from '../../../src/screens/turn/labels.ts';
import { deadlined, held, large, refused, troubled } from './recorded-turns.ts';

const viewOf = (events: readonly TraceEvent[]): TurnView => {
  const turnEvents = createTurnEvents();
  turnEvents.append(events);
  return turnEvents.view();
};
const total = (spent: Spending): number => Object.values(spent).reduce((sum, each) => sum + each, 0);

describe('the rows of a waterfall', () => {
  const options = { expanded: new Set<string>(), order: 'plan', filter: 'all', search: '', path: new Set<string>() } as const;

  it('has a row per call, and one per segment of an expanded call', async () => {
    const view = viewOf(await troubled());
    expect(rowsOf(view, options).length).toBe(6);
    const open = rowsOf(view, { ...options, expanded: new Set(['flights']) });
    expect(open.filter(({ level }) => level === 2).map(({ segment }) => segment?.kind)).toEqual([
      'attempt',
      'backoff',
      'attempt',
      'backoff',
      'attempt',
      'attempt',
    ]);
    expect(new Set(open.map(({ key }) => key)).size).toBe(open.length);
  });

  it('filters by trouble and by search text', async () => {
    const view = viewOf(await troubled());
    expect(rowsOf(view, { ...options, filter: 'trouble' }).map(({ call }) => call.callId)).not.toContain('nothing');
    expect(rowsOf(view, { ...options, search: 'TOOL_TIMEOUT' }).map(({ call }) => call.callId)).toEqual(['activities']);
    expect(rowsOf(view, { ...options, order: 'duration' })[0]?.call.callId).toBe('activities');
  });

  it('handles thousands of attempts', async () => {
    const view = viewOf(await large(200));
    expect(rowsOf(view, { ...options, expanded: 'all' }).length).toBeGreaterThan(200 + 200 * 9);
  });
});

describe('the critical path', () => {
  it('is taken from the trace, and computed equally while the turn is running', async () => {
    const events = await troubled();
    const recorded = findCriticalPath(viewOf(events));
    expect(recorded).toEqual(['activities', 'prices']);
    const running = events.slice(
      0,
      events.findIndex(({ event_type: type }) => type === 'TurnCompleted'),
    );
    expect(findCriticalPath(viewOf(running))).toEqual(recorded);
  });
});

describe('the axis', () => {
  const whole = { fromMs: 0, toMs: 1000 };

  it('zooms around a fixed point, and stays within the turn', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.05, max: 20, noNaN: true }), fc.double({ min: 0, max: 1000, noNaN: true }), (factor, around) => {
        const span = zoomSpan({ fromMs: 200, toMs: 600 }, factor, around, whole);
        expect(span.fromMs).toBeGreaterThanOrEqual(0);
        expect(span.toMs).toBeLessThanOrEqual(1000.000001);
        expect(span.toMs).toBeGreaterThan(span.fromMs);
      }),
    );
    const near = zoomSpan({ fromMs: 200, toMs: 600 }, 0.5, 300, whole);
    expect(xOf(near, 100, 300)).toBeCloseTo(25);
    expect(moveSpan({ fromMs: 800, toMs: 900 }, 500, whole)).toEqual({ fromMs: 900, toMs: 1000 });
    expect(isWhole(zoomSpan(near, 100, 300, whole), whole)).toBe(true);
  });

  it('round-trips through the URL', () => {
    expect(spanOf(spanText({ fromMs: 20, toMs: 90 }), whole)).toEqual({ fromMs: 20, toMs: 90 });
    for (const invalid of [undefined, '', 'a-b', '90-20', '5', '-5-3']) expect(spanOf(invalid, whole)).toEqual(whole);
  });

  it('has few, round ticks', () => {
    expect(computeTicks(whole, 500)).toEqual([0, 200, 400, 600, 800, 1000]);
    expect(computeTicks({ fromMs: 0, toMs: 0.3 }, 500).length).toBeLessThan(8);
  });

  it('excludes late work and a deadline that are far away', async () => {
    const view = viewOf(await troubled());
    expect(view.elapsedMs).toBeGreaterThan(60_000);
    expect(wholeSpan(view).toMs).toBeCloseTo(view.durationMs ?? 0);
    expect(wholeSpan({ ...view, timeoutMs: 800 }).toMs).toBe(800);
    expect(wholeSpan({ ...view, status: 'running', elapsedMs: 1600 }).toMs).toBe(2000);
  });
});

describe("what a server's Retry-After holds", () => {
  it('says so where it waits, and where it is refused', async () => {
    const waits = viewOf(await held(1_000)).calls.find(({ callId }) => callId === 'other');
    expect(waits?.segments.filter(({ kind }) => kind === 'queue').map(describeSegment)).toEqual(['Held by the server’s Retry-After']);
    const refusals = viewOf(await held(3_600_000)).calls.find(({ callId }) => callId === 'other')?.failures ?? [];
    expect(refusals.map(failureText)).toEqual(['Refused: held by the server’s Retry-After']);
    expect(refusals.map(({ circuit, heldMs }) => circuitText(circuit, heldMs).replaceAll('\u00A0', ' '))).toEqual([
      'closed, held for 9.95 s',
    ]);
  });
});

describe('the ledger', () => {
  it('adds up to the end of each call and the duration of the turn', async () => {
    for (const make of [troubled, deadlined, refused, () => large(40)]) {
      const view = viewOf(await make());
      const ledger = buildLedger(view, findCriticalPath(view));
      expect(total(ledger.turn)).toBeCloseTo(ledger.durationMs, 3);
      for (const row of ledger.rows) expect(total(row.spent)).toBeCloseTo(row.endedMs ?? 0, 3);
    }
  });

  it('says by how much the process was late, and which optional call on the critical path brought nothing', async () => {
    const events = await troubled();
    const first = events.find(({ event_type: type }) => type === 'RetryScheduled')?.elapsed_ms ?? 0;
    const late = viewOf(events.map((event) => (event.elapsed_ms > first ? { ...event, elapsed_ms: event.elapsed_ms + 220 } : event)));
    const ledger = buildLedger(late, findCriticalPath(late));
    expect(Math.max(...ledger.rows.map(({ spent }) => spent.lateMs))).toBeCloseTo(220, 0);
    const bars = barsOf(
      late.calls.flatMap(({ segments }) => segments),
      { fromMs: 0, toMs: 1_000 },
      1_000,
      0,
    );
    expect(bars.filter(({ kind }) => kind === 'overdue').length).toBeGreaterThan(0);
    const lost = (optional: boolean) =>
      buildLedger({ ...late, calls: late.calls.map((call) => ({ ...call, optional })) }, findCriticalPath(late)).lostToOptional;
    expect(lost(true).map(({ callId }) => callId)).toEqual(['activities']);
    expect(lost(false)).toEqual([]);
  });

  it('shows the time left when a call started, and the time spent waiting', async () => {
    const view = viewOf(await troubled());
    const ledger = buildLedger(view, findCriticalPath(view));
    const prices = ledger.rows.find(({ callId }) => callId === 'prices');
    expect(prices?.leftAtStartMs).toBeCloseTo(10_000 - 693, 0);
    expect(prices?.spent.dependencyMs).toBeCloseTo(693, 0);
    const weather = ledger.rows.find(({ callId }) => callId === 'weather');
    // Two of its three attempts failed: their time is no work.
    expect(weather?.spent.workMs).toBeCloseTo(30, 0);
    expect(weather?.spent.failedMs).toBeCloseTo(40, 0);
    expect(weather?.spent.backoffMs).toBeCloseTo(302, -1);
    expect(ledger.unspentMs).toBeCloseTo(10_000 - 733, 0);
    expect(total(ledger.path)).toBeCloseTo(733, 0);
  });
});

describe('the state of a turn', () => {
  it('has the clock of the gateway, whenever the page is opened', () => {
    const startedAt = '2026-11-23T03:50:39.000Z';
    expect(runningFor(startedAt, 3_260, Date.parse('2026-11-23T04:01:04.000Z'))).toBe(625_000);
    // A clock that is behind, or no time at all, never takes back what has happened.
    expect(runningFor(startedAt, 3_260, Date.parse(startedAt))).toBe(3_260);
    expect(runningFor('', 3_260, 5)).toBe(3_260);
  });

  it('counts calls by how they ended, and retries that were made', async () => {
    const view = viewOf(await troubled());
    const stats = new Map(turnStats(view, 0, 'completed').map(({ name, value, detail }) => [name, [value, detail]]));
    const totals = turnTotals(view);
    expect(stats.get('Calls')?.[0]).toBe('6');
    expect(stats.get('Attempts')).toEqual([String(totals.attempts), `${totals.retries}\u00A0retries`]);
  });

  it('promises nothing about a turn without its process', async () => {
    const events = await troubled();
    const running = viewOf(events.slice(0, 8));
    const cut = interruptTurn(running);
    const stats = turnStats(cut, cut.elapsedMs, 'interrupted');
    expect(stats[0]?.name).toBe('Recorded for');
    expect(stats[1]?.detail).toBeUndefined();
    expect(stats.find(({ name }) => name === 'Calls')?.detail).toContain('interrupted');
  });

  it('escalates only with a critical call; other required calls are lost', async () => {
    const calls = viewOf(await troubled()).calls.map((call, index) => ({
      ...call,
      escalation: index < 2 ? 'The weather is unknown.' : index === 2 ? 'No flight.' : undefined,
      critical: index === 2,
    }));
    expect(lossesOf(calls)).toEqual([
      { text: 'No flight.', escalates: true, calls: [calls[2]?.callId] },
      { text: 'The weather is unknown.', escalates: false, calls: [calls[0]?.callId, calls[1]?.callId] },
    ]);
  });
});

describe('the cascade', () => {
  it('traces skipped calls to the call that failed, and counts the affected calls', async () => {
    const { roots, nodes, edges } = buildCascade(viewOf(await troubled()));
    expect(roots).toMatchObject([{ callId: 'activities', code: 'TOOL_TIMEOUT', skipped: ['book', 'confirm'], defaulted: ['prices'] }]);
    expect(nodes.find(({ callId }) => callId === 'activities')?.skippedCount).toBe(2);
    expect(edges.find(({ to }) => to === 'confirm')?.kind).toBe('broken');
    expect(edges.find(({ from, to }) => from === 'activities' && to === 'prices')?.kind).toBe('default');
    expect(edges.find(({ from, to }) => from === 'flights' && to === 'prices')?.kind).toBe('met');
  });

  it('lays out any graph: edges point to later layers, and no two nodes share a position', () => {
    const graph = fc.integer({ min: 1, max: 40 }).chain((size) =>
      fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 80 }).map((pairs) => ({
        nodes: Array.from({ length: size }, (_, index) => `n${index}`),
        edges: pairs.filter(([a, b]) => a < b).map(([a, b]) => ({ from: `n${a}`, to: `n${b}` })),
      })),
    );
    fc.assert(
      fc.property(graph, ({ nodes, edges }) => {
        const { places, routes } = computeLayout(nodes, edges);
        for (const { from, to } of edges) expect(places.get(from)?.layer).toBeLessThan(places.get(to)?.layer ?? 0);
        expect(new Set([...places.values()].map(({ layer, row }) => `${layer}/${row}`)).size).toBe(places.size);
        for (const route of routes) route.forEach((place, at) => expect(place.layer).toBe((route[0]?.layer ?? 0) + at));
      }),
      { numRuns: 60 },
    );
  });

  it('terminates for a cycle in a damaged trace', () => {
    const edges = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ];
    expect(computeLayout(['a', 'b'], edges).places.size).toBe(2);
  });

  it('draws no graph that is too large to read', async () => {
    expect(buildCascade(viewOf(await large(301))).layout).toBeUndefined();
  });
});

describe('repairs and raw events', () => {
  it('shows the transcript before and after, if captured', () => {
    const before = { role: 'assistant', content: null };
    const after = { role: 'assistant', content: '' };
    const change = { rule: 'empty-content', path: 'messages.1', action: 'edited', before, after };
    const [repair] = listRepairs([
      stamped({ event_type: 'TranscriptRepaired', format: 'openai-chat', changes: [change], message: '1 change' }, 1),
    ]);
    expect(repair?.changes[0]?.action).toBe('edited');
    expect(repair?.changes[0]?.diff).toEqual([
      { sign: ' ', text: '{' },
      { sign: ' ', text: '  "role": "assistant",' },
      { sign: '−', text: '  "content": null' },
      { sign: '+', text: '  "content": ""' },
      { sign: ' ', text: '}' },
    ]);
  });

  const stamped = (body: object, seq: number): TraceEvent =>
    ({ turn_id: 't', seq, timestamp: '2026-01-01T00:00:00.000Z', elapsed_ms: seq, ...body }) as TraceEvent;

  it('lists the repairs from the events', () => {
    const repairs = listRepairs([
      stamped(
        {
          event_type: 'TranscriptRepaired',
          format: 'openai-chat',
          changes: [{ rule: 'missing-result', path: 'messages.2' }],
          message: 'm',
        },
        1,
      ),
      stamped({ event_type: 'ArgumentsRepaired', call_id: 'a', tool_id: 'search', repairs: ['closed a brace'] }, 2),
      stamped({ event_type: 'ValidationRecovered', source: 'tool', tool_id: 'search', call_id: 'a', attempts: 2 }, 3),
      stamped({ event_type: 'CallStarted', call_id: 'a', tool_id: 'search' }, 4),
    ]);
    expect(repairs.map(({ kind, changes }) => [kind, changes.length])).toEqual([
      ['transcript', 1],
      ['arguments', 1],
      ['validation', 0],
    ]);
    expect(repairs[0]?.changes[0]).toEqual({ rule: 'missing-result', place: 'messages.2' });
  });

  it('lists the requests to models and the responses that failed validation', () => {
    const problems = [
      { rule: 'result-missing', path: 'messages[2]', message: "No result for call 'a'." },
      { rule: 'empty', path: '', message: 'Nothing is there.' },
    ];
    const message = 'A request failed validation: 2 problems';
    const events = [
      stamped({ event_type: 'ResponseValidationFailed', stage: 'request', format: 'openai-chat', problems, message }, 1),
      stamped({ event_type: 'ResponseValidationFailed', stage: 'response', problems: [], message: 'A response failed validation' }, 2),
    ];
    const [request, response] = listRepairs(events);
    expect(request).toMatchObject({ kind: 'exchange', tone: 'bad', title: `${message} (openai-chat)` });
    expect(request?.changes).toEqual([
      { rule: 'result-missing', place: "messages[2]: No result for call 'a'." },
      { rule: 'empty', place: 'Nothing is there.' },
    ]);
    expect(response).toMatchObject({ title: 'A response failed validation', changes: [] });
  });

  it('finds events by type, call and any text', async () => {
    const events = await troubled();
    expect(eventTypes(events)).toContain('ToolSkipped');
    const found = filterEvents(events, { search: 'circuit closed', type: 'RecoveryDecided', callId: 'weather' });
    expect(found.length).toBe(2);
    expect(
      toNdjson(found)
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(found);
  });
});
