/** The live stream: when a reader hears of what has changed, what it is told, how it goes on after a break, and how it is sent away. */
import { describe, expect, test } from 'vitest';
import { LiveHub, type LiveClock, type LiveReader, type LiveSource } from '../../src/api/streams/live-hub.ts';
import { liveStream } from '../../src/api/streams/live-stream.ts';
import { OpenStreams } from '../../src/api/streams/open-streams.ts';
import type { AlertItem, LiveMessage, ToolTile, Totals } from '../../src/contract.ts';
import { sentEvents, until } from './kit.ts';

/** A clock in one's own hands. */
function manualClock() {
  let now = 1_000;
  let timers: { readonly at: number; readonly task: () => void }[] = [];
  const clock: LiveClock = {
    now: () => now,
    later(delayMs, task) {
      const timer = { at: now + delayMs, task };
      timers.push(timer);
      return () => (timers = timers.filter((other) => other !== timer));
    },
    today: () => new Date(now),
  };
  const advance = (ms: number): void => {
    const end = now + ms;
    for (;;) {
      const [first] = timers.filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at);
      if (!first) break;
      timers = timers.filter((other) => other !== first);
      now = first.at;
      first.task();
    }
    now = end;
  };
  return { clock, advance, timers: () => timers.length };
}

/** A history of numbered tools, each with how often it has changed. */
function source(process = 'aaaaaaaa') {
  let place = 0;
  let asked = 0;
  const tools = new Map<string, { readonly place: number; readonly calls: number }>();
  const listeners = new Set<() => void>();
  const history: LiveSource = {
    cursor: () => `${process}-${place}`,
    changedSince(cursor) {
      asked += 1;
      const [of, since] = cursor.split('-');
      const isKnown = of === process && Number(since) <= place;
      const changed = [...tools].filter(([, tool]) => !isKnown || tool.place > Number(since));
      const tiles = changed.map(([name, { calls }]) => ({ name, counts: { calls } }) as unknown as ToolTile);
      return {
        cursor: history.cursor(),
        ...(isKnown ? {} : { reset: true as const }),
        tools: tiles,
        removed_tools: [],
        changes: [],
        turns: [],
      };
    },
    totals: () => ({ tools: tools.size }) as Totals,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return {
    history,
    happen(tool: string): void {
      tools.set(tool, { place: (place += 1), calls: (tools.get(tool)?.calls ?? 0) + 1 });
      for (const listener of listeners) listener();
    },
    asked: () => asked,
    listeners: () => listeners.size,
  };
}

function alertSource() {
  let items: readonly AlertItem[] = [];
  const listeners = new Set<() => void>();
  return {
    alerts: {
      active: () => items,
      subscribe(listener: () => void) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    set(...states: readonly AlertItem['state'][]): void {
      items = states.map((state, index) => ({ fingerprint: String(index), state }) as AlertItem);
      for (const listener of listeners) listener();
    },
  };
}

function scene() {
  const time = manualClock();
  const things = source();
  const alerting = alertSource();
  return { ...time, ...things, ...alerting, hub: new LiveHub({ history: things.history, alerts: alerting.alerts, clock: time.clock }) };
}

const read = (bytes: Uint8Array | undefined): LiveMessage | undefined =>
  bytes && (sentEvents(new TextDecoder().decode(bytes))[0]?.data as LiveMessage);

/** A reader that always comes back for more at once; answers what it was told and when. */
function eager(reader: LiveReader, clock: LiveClock) {
  const told: { readonly at: number; readonly message: LiveMessage }[] = [];
  const take = (): void => {
    for (let bytes = reader.next(); bytes; bytes = reader.next()) told.push({ at: clock.now(), message: read(bytes) as LiveMessage });
    reader.onMore(take);
  };
  take();
  return told;
}

const names = (message: LiveMessage | undefined): readonly string[] => message?.tools.map(({ name }) => name) ?? [];

test('500 events a second are at most ten messages a second, each told within 200 ms, and nothing is lost', () => {
  const { hub, happen, history, clock, advance } = scene();
  const told = eager(hub.open(history.cursor()), clock);
  const happened = new Map<string, number>();
  for (let event = 0; event < 5_000; event += 1) {
    const tool = `tool-${event % 700}-${Math.floor(event / 700)}`;
    happened.set(tool, clock.now());
    happen(tool);
    advance(2);
  }
  advance(300);
  const seconds = new Map<number, number>();
  for (const { at } of told) seconds.set(Math.floor(at / 1_000), (seconds.get(Math.floor(at / 1_000)) ?? 0) + 1);
  expect(Math.max(...seconds.values())).toBeLessThanOrEqual(10);
  const heard = new Map(told.flatMap(({ at, message }) => names(message).map((name) => [name, at] as const)));
  expect(heard.size).toBe(happened.size);
  const delays = [...happened].map(([name, at]) => (heard.get(name) ?? Infinity) - at);
  expect(Math.max(...delays)).toBeLessThanOrEqual(200);
});

test('what happens after a quiet time is told at once', () => {
  const { hub, happen, history, clock, advance } = scene();
  const told = eager(hub.open(history.cursor()), clock);
  advance(5_000);
  const before = told.length;
  happen('a');
  advance(2);
  expect(told.slice(before).map(({ message }) => names(message))).toEqual([['a']]);
});

test('of each thing only its latest state is told', () => {
  const { hub, happen, history, clock, advance } = scene();
  const told = eager(hub.open(history.cursor()), clock);
  advance(1_000);
  for (let time = 0; time < 50; time += 1) happen('a');
  happen('b');
  advance(200);
  const last = told.at(-1)?.message;
  expect(last?.tools).toEqual([
    { name: 'a', counts: { calls: 50 } },
    { name: 'b', counts: { calls: 1 } },
  ]);
});

test('readers at the same place share the work', () => {
  const { hub, happen, history, clock, advance, asked } = scene();
  const all = Array.from({ length: 50 }, () => eager(hub.open(history.cursor()), clock));
  advance(1_000);
  const before = asked();
  for (let event = 0; event < 100; event += 1) {
    happen(`t${event}`);
    advance(10);
  }
  advance(200);
  expect(asked() - before).toBeLessThanOrEqual(12);
  for (const told of all) expect(new Set(told.flatMap(({ message }) => names(message))).size).toBe(100);
});

describe('a reader that comes back', () => {
  test('with its cursor is told what it has missed, once, and the alerts', () => {
    const { hub, happen, set, history } = scene();
    happen('before');
    const cursor = history.cursor();
    happen('missed');
    set('firing', 'resolved', 'pending');
    const reader = hub.open(cursor);
    const message = read(reader.next());
    expect(message).toMatchObject({ cursor: history.cursor(), totals: { tools: 2 }, alerts: [{ state: 'firing' }, { state: 'pending' }] });
    expect(message).not.toHaveProperty('reset');
    expect(names(message)).toEqual(['missed']);
    expect(reader.next()).toBeUndefined();
  });

  test.each(['', 'bbbbbbbb-1', 'aaaaaaaa-999', 'nonsense'])('with the cursor "%s" is told everything anew', (cursor) => {
    const { hub, happen } = scene();
    happen('a');
    happen('b');
    expect(read(hub.open(cursor).next())).toMatchObject({ reset: true, tools: [{ name: 'a' }, { name: 'b' }] });
  });
});

test('alerts are told when one of them has changed, and only then', () => {
  const { hub, happen, set, history, clock, advance } = scene();
  const told = eager(hub.open(history.cursor()), clock);
  advance(200);
  happen('a');
  advance(200);
  set('firing');
  advance(200);
  set();
  advance(200);
  expect(told.map(({ message }) => message.alerts)).toEqual([[], undefined, [{ fingerprint: '0', state: 'firing' }], []]);
});

test('a slow reader gets the present when it comes, however much it has missed, and no more often than the others', () => {
  const { hub, happen, history, advance } = scene();
  const reader = hub.open(history.cursor());
  reader.next();
  for (let event = 0; event < 1_000; event += 1) {
    happen(`t${event % 20}`);
    advance(5);
  }
  const message = read(reader.next());
  expect(message?.tools).toHaveLength(20);
  expect(message?.tools[0]).toMatchObject({ counts: { calls: 50 } });
  happen('more');
  expect(reader.next()).toBeUndefined();
  advance(110);
  expect(names(read(reader.next()))).toEqual(['more']);
});

test('without readers nothing is heard and no timer runs', () => {
  const { hub, happen, history, listeners, timers } = scene();
  const [one, other] = [hub.open(history.cursor()), hub.open(history.cursor())];
  expect(listeners()).toBe(1);
  happen('a');
  expect(timers()).toBe(1);
  one.close();
  one.close();
  expect(hub.readers).toBe(1);
  other.close();
  expect([listeners(), timers(), hub.readers]).toEqual([0, 0, 0]);
});

describe('as a stream', () => {
  const limits = { streams: 2, slowReaderMs: 10_000, heartbeatMs: 10_000 };
  const text = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> =>
    new TextDecoder().decode((await reader.read()).value);

  function opened(own: Partial<typeof limits> = {}) {
    const things = source();
    const { alerts } = alertSource();
    const hub = new LiveHub({ history: things.history, alerts });
    const streams = new OpenStreams({ ...limits, ...own });
    const open = (after = ''): ReadableStreamDefaultReader<Uint8Array> =>
      streams
        .open(
          (start) => liveStream({ hub, after, ...start }),
          () => undefined,
        )
        .getReader();
    return { ...things, hub, streams, open };
  }

  test('says when to come back, then what there is, with the cursor as its id', async () => {
    const { open, happen, history } = opened();
    happen('a');
    const reader = open();
    expect(await text(reader)).toMatch(/^retry: \d{4}\n\n$/);
    const [sent] = sentEvents(await text(reader));
    expect(sent).toMatchObject({ event: 'change', id: history.cursor(), data: { cursor: history.cursor(), tools: [{ name: 'a' }] } });
    await reader.cancel();
  });

  test('says now and then that nothing is new', async () => {
    const { open, history } = opened({ heartbeatMs: 20 });
    const reader = open(history.cursor());
    await text(reader);
    await text(reader);
    expect(await text(reader)).toBe(': nothing new\n\n');
    expect(await text(reader)).toBe(': nothing new\n\n');
    await reader.cancel();
  });

  test('a reader that takes nothing is sent away with where to go on', async () => {
    const { open, history, streams, hub } = opened({ slowReaderMs: 30 });
    const reader = open(history.cursor());
    await text(reader);
    await text(reader);
    await until(() => streams.size === 0);
    expect(sentEvents(await text(reader))).toMatchObject([{ event: 'resume', data: { reason: 'slow_reader', cursor: history.cursor() } }]);
    expect((await reader.read()).done).toBe(true);
    expect(hub.readers).toBe(0);
  });

  test('at the end every reader is sent away, and there are no more than the limit', async () => {
    const { open, streams, hub } = opened();
    const readers = [open(), open()];
    expect(streams.full()).toMatchObject({ status: 429 });
    for (const reader of readers) await text(reader);
    streams.sendAllAway();
    for (const reader of readers) {
      const rest = await text(reader);
      expect(sentEvents(rest).at(-1)).toMatchObject({ event: 'resume', data: { reason: 'draining' } });
    }
    expect([streams.size, hub.readers, streams.full()]).toEqual([0, 0, undefined]);
  });

  test('what cannot be told ends one stream and is let go of', async () => {
    const things = source();
    const { alerts } = alertSource();
    const hub = new LiveHub({
      history: {
        ...things.history,
        totals: () => {
          throw new Error('broken');
        },
      },
      alerts,
    });
    const streams = new OpenStreams(limits);
    const reader = streams
      .open(
        (start) => liveStream({ hub, after: '', ...start }),
        () => undefined,
      )
      .getReader();
    await text(reader);
    await expect(reader.read()).rejects.toThrow('broken');
    expect([streams.size, hub.readers]).toEqual([0, 0]);
    streams.sendAllAway();
  });

  test('one that leaves is let go of', async () => {
    const { open, streams, hub, listeners } = opened();
    const reader = open();
    await text(reader);
    await reader.cancel();
    expect([streams.size, hub.readers, listeners()]).toEqual([0, 0, 0]);
  });
});
