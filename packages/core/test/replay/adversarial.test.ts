/** Truncated, shuffled, duplicated and edited records: a replay ends, and either reports differences or rejects the record with a clear error. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { PlannedCall, TraceEvent } from '../../src/index.ts';
import { defineTool, ref, ToolExecutionService } from '../../src/index.ts';
import type { Replay, ReplayOptions } from '../../src/replay/index.ts';
import { replayTurn } from '../../src/replay/index.ts';
import { manualSystem } from '../../src/testing/index.ts';
import { when } from '../support/when.ts';

const unavailable = (): Error => Object.assign(new Error('Service unavailable'), { status: 503 });

/** A turn with all kinds of events: retries, waits, an open circuit, a timeout, partial output, an alternative, a default, a skip, a hedge. */
async function eventfulTurn(cancelAt?: number): Promise<readonly TraceEvent[]> {
  const system = manualSystem();
  const cancel = new AbortController();
  const after = <T>(milliseconds: number, value: T): Promise<T> =>
    new Promise((resolve) => void system.setTimer(milliseconds, () => resolve(value)));
  let flaky = 0;
  let slow = 0;
  const service = new ToolExecutionService({
    system,
    seed: 'eventful',
    tools: [
      defineTool({
        name: 'flaky',
        run: async () => {
          await after(10, 0);
          if (++flaky < 3) throw unavailable();
          return { price: flaky };
        },
      }),
      defineTool({
        name: 'down',
        alternatives: ['backup'],
        breaker: { failureThreshold: 2, openMs: 100 },
        run: () => Promise.reject(unavailable()),
      }),
      defineTool({ name: 'backup', rateLimit: { limit: 1, windowMs: 50 }, run: () => after(5, 'backup') }),
      defineTool({
        name: 'hanging',
        timeoutMs: 60,
        acceptPartial: true,
        run: (_args: unknown, { reportPartial, reportProgress }) => {
          reportProgress({ progress: 1, total: 2 });
          reportPartial({ half: true });
          return after(200, 'late');
        },
      }),
      defineTool({ name: 'broken', run: () => Promise.reject(Object.assign(new Error('No such thing'), { status: 404 })) }),
      defineTool({ name: 'single', concurrency: { limit: 1, queue: 5 }, run: () => after(30, 'one') }),
      defineTool({
        name: 'slow',
        effect: 'read',
        hedge: { afterMs: 20, maxHedges: 1 },
        run: () => (++slow === 1 ? after(500, 'first') : after(5, 'second')),
      }),
    ],
  });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  const calls: readonly PlannedCall[] = [
    { callId: 'flaky', toolName: 'flaky' },
    { callId: 'down', toolName: 'down' },
    { callId: 'hanging', toolName: 'hanging' },
    { callId: 'broken', toolName: 'broken' },
    { callId: 'covered', toolName: 'single', dependsOn: ['broken'], defaults: { broken: null } },
    { callId: 'single', toolName: 'single', arguments: { price: ref('flaky', 'price') } },
    { callId: 'skipped', toolName: 'single', dependsOn: ['broken'], optional: true },
    { callId: 'slow', toolName: 'slow', critical: true },
    { callId: 'unknown', toolName: 'nowhere' },
    { callId: 'dependent', toolName: 'single', dependsOn: ['unknown'] },
  ];
  if (cancelAt !== undefined) system.setTimer(cancelAt, () => cancel.abort(new Error('enough')));
  await system.until(service.executeTurn({ turnId: 'eventful', timeoutMs: 10_000, calls }, { signal: cancel.signal }));
  await system.advance(100_000);
  return JSON.parse(JSON.stringify(events.filter(({ turn_id }) => turn_id === 'eventful'))) as TraceEvent[];
}

let whole: readonly TraceEvent[] = [];
let cancelled: readonly TraceEvent[] = [];

beforeAll(async () => {
  whole = await eventfulTurn();
  cancelled = await eventfulTurn(45);
});

/** Replays a record; one that cannot be replayed is rejected with an error of replay that names the event. */
function attempt(record: readonly TraceEvent[], what: string, options?: ReplayOptions): Replay | string {
  const calls = record.find(({ event_type }) => event_type === 'TurnStarted');
  try {
    const replay = replayTurn(record, options);
    const expected = calls?.event_type === 'TurnStarted' ? calls.calls.length : -1;
    if (replay.report.results.length !== expected) throw new Error(`${replay.report.results.length} results`);
    return replay;
  } catch (error) {
    if (error instanceof TypeError && /^replay: .*(?:events\[\d+\]|no TurnStarted|call '\w+').*\.$/su.test(error.message))
      return error.message;
    throw new Error(`${what}: ${String(error)}`, { cause: error });
  }
}

const modes: readonly (readonly [string, ReplayOptions | undefined])[] = [
  ['exactly', undefined],
  ['under another policy', { policy: { retry: { maxAttempts: 2 } } }],
];

describe.each(modes)('replayed %s', (_mode, options) => {
  const records = (): readonly (readonly TraceEvent[])[] => [whole, cancelled];

  it('a complete record', () => {
    for (const record of records()) {
      const replay = attempt(record, 'whole', options);
      expect(typeof replay === 'string' ? replay : replay.interrupted).toBe(false);
      expect(typeof replay === 'string' || options ? [] : replay.differences).toEqual([]);
    }
  });

  it('truncated at any event', () => {
    for (const record of records())
      for (let length = 0; length < record.length; length += 1) {
        const replay = attempt(record.slice(0, length), `the first ${length}`, options);
        when(length === 0, () => expect(replay).toContain('no TurnStarted'));
      }
  });

  it('without any number of first events', () => {
    for (const record of records())
      for (let start = 1; start < record.length; start += 1)
        expect(attempt(record.slice(start), `from ${start}`, options)).toContain('no TurnStarted');
  });

  it('with any one event missing', () => {
    for (const record of records())
      for (const [index, event] of record.entries()) attempt(record.toSpliced(index, 1), `without ${index} ${event.event_type}`, options);
  });

  it('with any one event twice', () => {
    for (const record of records())
      for (const [index, event] of record.entries())
        attempt(record.toSpliced(index, 0, event), `${index} ${event.event_type} twice`, options);
  });

  it('with any two neighbours swapped', () => {
    for (const record of records())
      for (let index = 1; index < record.length; index += 1) {
        const [one, other] = [record[index - 1] as TraceEvent, record[index] as TraceEvent];
        attempt(record.toSpliced(index - 1, 2, other, one), `${index - 1} and ${index} swapped`, options);
      }
  });

  it('reversed, and repeated', () => {
    for (const record of records()) {
      attempt(record.toReversed(), 'reversed', options);
      attempt([...record, ...record], 'repeated', options);
      attempt([...whole, ...cancelled], 'two in one', options);
    }
  });

  const numbers = [-1, 0.5, 1e300, null, 'text'] as const;

  it.each(numbers)('with any one number replaced by %j', (value) => {
    for (const place of placesOf(whole, (part) => typeof part === 'number'))
      attempt(edited(whole, place, value), `${place.join('.')} = ${value}`, options);
  });

  const strings = ['', 'dance', null] as const;

  it.each(strings)('with any one string replaced by %j', (value) => {
    for (const place of placesOf(whole, (part) => typeof part === 'string'))
      attempt(edited(whole, place, value), `${place.join('.')} = ${value}`, options);
  });

  it('with any one field missing', () => {
    for (const place of placesOf(whole, (_part, key) => typeof key === 'string'))
      attempt(edited(whole, place, undefined), `no ${place.join('.')}`, options);
  });
});

describe('an exact replay reports where the record differs from the current decisions', () => {
  type Edit = (event: Extract<TraceEvent, { event_type: 'RecoveryDecided' }>) => Partial<typeof event>;
  const edits: Readonly<Record<string, Edit>> = {
    'a different delay': ({ decision }) => ({ decision: { ...decision, delay_ms: (decision.delay_ms ?? 0) + 7 } }),
    'a different reason to stop': ({ decision }) => ({
      decision: { ...decision, stopped_by: decision.stopped_by === 'deadline' ? 'circuit' : 'deadline' },
    }),
    'a different action': ({ decision }) => ({ decision: { ...decision, action: decision.action === 'fail' ? 'skip' : 'fail' } }),
    'an unknown action': ({ decision }) => ({ decision: { ...decision, action: 'dance' as never } }),
  };

  it.each(Object.keys(edits))('%s', (name) => {
    let seen = 0;
    for (const record of [whole, cancelled])
      for (const [index, event] of record.entries()) {
        if (event.event_type !== 'RecoveryDecided') continue;
        const replay = attempt(record.with(index, { ...event, ...(edits[name] as Edit)(event) } as TraceEvent), `${name} at ${index}`);
        if (typeof replay === 'string') continue;
        seen += 1;
        expect(replay.differences[0]).toMatchObject({ callId: event.call_id, replayed: { action: event.decision.action } });
      }
    expect(seen).toBeGreaterThan(5);
  });
});

describe('an exact replay detects', () => {
  /** Without effect on the replay: times, settings that did not matter in this turn, text for people, and external input. */
  const ignored =
    /(?:_ms|critical_path\.\d+|arguments)$|^TurnStarted\.(?:tools|base|profile|concurrency|calls\.\d+\.critical)|^ToolProgress\.(?:progress|total)$|^ToolError\.(?:status|error|code)$|guards|inputs\.alternatives|^CircuitBreakerOpened/u;
  const changedValue = (value: unknown): unknown =>
    typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}x` : typeof value === 'boolean' ? !value : 3;

  it('any one changed value', () => {
    let detected = 0;
    for (const record of [whole, cancelled])
      for (const place of placesOf(record, (part) => typeof part !== 'object' || part === null)) {
        const what = [record[Number(place[0])]?.event_type, ...place.slice(1)].join('.');
        if (ignored.test(what)) continue;
        const value = place.reduce<unknown>((part, key) => (part as Readonly<Record<string, unknown>>)[key], record);
        const replay = attempt(edited(record, place, changedValue(value)), what);
        if (typeof replay === 'string') continue;
        detected += 1;
        expect(`${what}: ${replay.differences.length > 0}`).toBe(`${what}: true`);
      }
    expect(detected).toBeGreaterThan(300);
  });

  it('any one missing event although the others are renumbered', () => {
    const undetected: string[] = [];
    for (const record of [whole, cancelled])
      for (const [index, event] of record.entries()) {
        const without = record.toSpliced(index, 1).map((other, place): TraceEvent => ({ ...other, seq: place + 1 }));
        const replay = attempt(without, `without ${event.event_type}`);
        if (typeof replay !== 'string' && replay.differences.length === 0) undetected.push(event.event_type);
      }
    // Input from the tools and the gates that had no consequences in this turn.
    expect([...new Set(undetected)].toSorted()).toEqual(['CircuitBreakerOpened', 'LateResult', 'ToolProgress']);
  });
});

type Place = readonly (string | number)[];

/** Positions in the record, without the settings of all but one tool, which are similar, and without the guards of decisions, which are only informative. */
function placesOf(record: unknown, wanted: (part: unknown, key: string | number) => boolean): readonly Place[] {
  const found: Place[] = [];
  const look = (part: unknown, place: Place): void => {
    const key = place.at(-1);
    if ((place[1] === 'tools' && place.length > 2 && place[2] !== 'down') || key === 'guards') return;
    if (key !== undefined && wanted(part, key)) found.push(place);
    if (typeof part === 'object' && part !== null)
      for (const [name, inner] of Object.entries(part)) look(inner, [...place, Array.isArray(part) ? Number(name) : name]);
  };
  look(record, []);
  return found;
}

function edited(record: readonly TraceEvent[], place: Place, value: unknown): readonly TraceEvent[] {
  const copy = [...record];
  let part: Record<string | number, unknown> = copy as never;
  for (const key of place.slice(0, -1)) {
    const inner = part[key] as object;
    const clone = Array.isArray(inner) ? [...(inner as readonly unknown[])] : { ...inner };
    part[key] = clone;
    part = clone as never;
  }
  const last = place.at(-1) ?? '';
  if (value === undefined) delete part[last];
  else part[last] = value;
  return copy;
}
