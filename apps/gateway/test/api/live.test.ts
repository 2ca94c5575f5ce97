/** The live stream: when a reader gets changes, the content of messages, and how it continues after a disconnect. */
import { describe, expect, test } from 'vitest';
import type { LiveClock, LiveReader } from '../../src/api/streams/live-hub.ts';
import type { LiveMessage } from '../../src/contract.ts';
import { sentEvents } from './kit.ts';
import { scene } from './live-scene.ts';

const read = (bytes: Uint8Array | undefined): LiveMessage | undefined =>
  bytes && (sentEvents(new TextDecoder().decode(bytes))[0]?.data as LiveMessage);

/** A reader that always reads at once; returns the messages with their times. */
function eager(reader: LiveReader, clock: LiveClock) {
  const reported: { readonly at: number; readonly message: LiveMessage }[] = [];
  const take = (): void => {
    for (let bytes = reader.next(); bytes; bytes = reader.next()) reported.push({ at: clock.now(), message: read(bytes) as LiveMessage });
    reader.onMore(take);
  };
  take();
  return reported;
}

const names = (message: LiveMessage | undefined): readonly string[] => message?.tools.map(({ name }) => name) ?? [];

test('500 events a second become at most ten messages a second, each change within 200 ms, and nothing is lost', async () => {
  const { hub, happen, history, clock, advance } = scene();
  const reported = eager(hub.open(history.cursor()), clock);
  const happened = new Map<string, number>();
  for (let event = 0; event < 5_000; event += 1) {
    const tool = `tool-${event % 700}-${Math.floor(event / 700)}`;
    happened.set(tool, clock.now());
    happen(tool);
    advance(2);
    // On a slow machine, a message may take more than one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (let turn = 0; turn < 30; turn += 1) {
    advance(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const seconds = new Map<number, number>();
  for (const { at } of reported) seconds.set(Math.floor(at / 1_000), (seconds.get(Math.floor(at / 1_000)) ?? 0) + 1);
  expect(Math.max(...seconds.values())).toBeLessThanOrEqual(10);
  const received = new Map(reported.flatMap(({ at, message }) => names(message).map((name) => [name, at] as const)));
  expect(received.size).toBe(happened.size);
  const delays = [...happened].map(([name, at]) => (received.get(name) ?? Infinity) - at);
  expect(Math.max(...delays)).toBeLessThanOrEqual(200);
});

test('a change after a quiet period is sent at once', () => {
  const { hub, happen, history, clock, advance } = scene();
  const reported = eager(hub.open(history.cursor()), clock);
  advance(5_000);
  const before = reported.length;
  happen('a');
  advance(2);
  expect(reported.slice(before).map(({ message }) => names(message))).toEqual([['a']]);
});

test('only the latest state of each item is sent', () => {
  const { hub, happen, history, clock, advance } = scene();
  const reported = eager(hub.open(history.cursor()), clock);
  advance(1_000);
  for (let time = 0; time < 50; time += 1) happen('a');
  happen('b');
  advance(200);
  const last = reported.at(-1)?.message;
  expect(last?.tools).toEqual([
    { name: 'a', counts: { calls: 50 } },
    { name: 'b', counts: { calls: 1 } },
  ]);
});

test('readers at the same position share the work', () => {
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
  for (const reported of all) expect(new Set(reported.flatMap(({ message }) => names(message))).size).toBe(100);
});

describe('a reader that reconnects', () => {
  test('with its cursor gets the changes since then, once, and the alerts', () => {
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

  test.each(['', 'bbbbbbbb-1', 'aaaaaaaa-999', 'nonsense'])('with the cursor "%s" gets everything', (cursor) => {
    const { hub, happen } = scene();
    happen('a');
    happen('b');
    expect(read(hub.open(cursor).next())).toMatchObject({ reset: true, tools: [{ name: 'a' }, { name: 'b' }] });
  });
});

test('alerts are sent only when one of them has changed', () => {
  const { hub, happen, set, history, clock, advance } = scene();
  const reported = eager(hub.open(history.cursor()), clock);
  advance(200);
  happen('a');
  advance(200);
  set('firing');
  advance(200);
  set();
  advance(200);
  expect(reported.map(({ message }) => message.alerts)).toEqual([[], undefined, [{ fingerprint: '0', state: 'firing' }], []]);
});

test('a slow reader gets only the current state, and no more messages than the others', () => {
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

test('without readers there is no subscription and no timer', () => {
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

describe('a message that takes long', () => {
  /** Each tool takes 1 ms. */
  const busy = (): void => {
    for (const until = performance.now() + 1; performance.now() < until;);
  };
  const long = (): ReturnType<typeof scene> => {
    const made = scene(busy);
    for (let index = 0; index < 30; index += 1) made.happen(`t${index}`);
    return made;
  };
  const messagesOf = (reader: LiveReader): LiveMessage[] => {
    const taken: LiveMessage[] = [];
    const take = (): void => {
      const bytes = reader.next();
      if (bytes) taken.push(read(bytes) as LiveMessage);
      else reader.onMore(take);
    };
    take();
    return taken;
  };

  test('is made once for all readers of a place, who are woken when it is ready', async () => {
    const { hub, asked } = long();
    const all = ['', 'bbbbbbbb-1', 'nonsense'].map((after) => messagesOf(hub.open(after)));
    expect(all).toEqual([[], [], []]);
    await expect.poll(() => all.every(({ length }) => length === 1), { interval: 2 }).toBe(true);
    expect(asked()).toBe(1);
    expect(names(all[2]?.[0])).toHaveLength(30);
  });

  test('is followed by what happened while it was made', async () => {
    const { hub, happen, history, advance } = long();
    const reader = hub.open('');
    const [first] = [messagesOf(reader)];
    happen('late');
    await expect.poll(() => first.length, { interval: 2 }).toBe(1);
    advance(200);
    const second = messagesOf(reader);
    await expect.poll(() => second.length, { interval: 2 }).toBe(1);
    expect(names(second[0])).toEqual(['late']);
    expect(second[0]?.cursor).toBe(history.cursor());
  });

  test('is not lost when its reader has gone and another one comes', async () => {
    const { hub, asked } = long();
    const gone = hub.open('');
    expect(gone.next()).toBeUndefined();
    gone.close();
    const taken = messagesOf(hub.open(''));
    await expect.poll(() => taken.length, { interval: 2 }).toBe(1);
    expect(asked()).toBe(1);
  });
});
