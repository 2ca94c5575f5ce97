/** The live stream of one reader as server-sent events: its start, its heartbeats, its end. */
import { describe, expect, test } from 'vitest';
import { LiveHub } from '../../src/api/streams/live-hub.ts';
import { liveStream } from '../../src/api/streams/live-stream.ts';
import { OpenStreams } from '../../src/api/streams/open-streams.ts';
import { sentEvents, until } from './kit.ts';
import { alertSource, source } from './live-scene.ts';

const user = { release: (): undefined => undefined, principal: undefined };

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
      streams.open((start) => liveStream({ hub, after, ...start }), user).getReader();
    return { ...things, hub, streams, open };
  }

  test('sends the delay for reconnecting, then the state with the cursor as its id', async () => {
    const { open, happen, history } = opened();
    happen('a');
    const reader = open();
    expect(await text(reader)).toMatch(/^retry: \d{4}\n\n$/);
    const [sent] = sentEvents(await text(reader));
    expect(sent).toMatchObject({ event: 'change', id: history.cursor(), data: { cursor: history.cursor(), tools: [{ name: 'a' }] } });
    await reader.cancel();
  });

  test('sends heartbeats', async () => {
    const { open, history } = opened({ heartbeatMs: 20 });
    const reader = open(history.cursor());
    await text(reader);
    await text(reader);
    expect(await text(reader)).toBe(': heartbeat\n\n');
    expect(await text(reader)).toBe(': heartbeat\n\n');
    await reader.cancel();
  });

  test('a long message is read part by part, and whole before the stream ends', async () => {
    const { open, happen, history, streams } = opened();
    for (let index = 0; index < 3_000; index += 1) happen(`tool-with-a-long-name-${index}`.padEnd(60, 'x'));
    const reader = open();
    await text(reader);
    const parts = [await text(reader), await text(reader)];
    expect(parts.map(({ length }) => length)).toEqual([16_384, 16_384]);
    streams.endAll();
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(new TextDecoder().decode(part.value));
    const [sent, end] = sentEvents(parts.join(''));
    expect((sent?.data as { tools: readonly unknown[] } | undefined)?.tools).toHaveLength(3_000);
    expect(end).toMatchObject({ event: 'resume', data: { cursor: history.cursor() } });
  });

  test('readers of long messages share the turns of the event loop', async () => {
    const { open, happen } = opened({ streams: 100 });
    for (let index = 0; index < 3_000; index += 1) happen(`tool-${index}`);
    const sizes = new Map<number, number>();
    let turn = 0;
    const turning = setInterval(() => (turn += 1), 0);
    const read = async (): Promise<void> => {
      const reader = open();
      for (let size = 0; size < 100_000;) {
        const part = await reader.read();
        size += part.value?.length ?? 0;
        for (const until = performance.now() + 0.2; performance.now() < until;);
        sizes.set(turn, (sizes.get(turn) ?? 0) + 1);
      }
      await reader.cancel();
    };
    await Promise.all(Array.from({ length: 10 }, read));
    clearInterval(turning);
    expect(sizes.size).toBeGreaterThan(3);
  });

  test('a reader that reads nothing is disconnected with the cursor to continue', async () => {
    const { open, history, streams, hub } = opened({ slowReaderMs: 30 });
    const reader = open(history.cursor());
    await text(reader);
    await text(reader);
    await until(() => streams.size === 0);
    expect(sentEvents(await text(reader))).toMatchObject([{ event: 'resume', data: { reason: 'slow_reader', cursor: history.cursor() } }]);
    expect((await reader.read()).done).toBe(true);
    expect(hub.readers).toBe(0);
  });

  test('at the end every reader is disconnected, and their number is limited', async () => {
    const { open, streams, hub } = opened();
    const readers = [open(), open()];
    expect(streams.refusalIfFull(undefined)).toMatchObject({ status: 429 });
    for (const reader of readers) await text(reader);
    streams.endAll();
    for (const reader of readers) {
      const rest = await text(reader);
      expect(sentEvents(rest).at(-1)).toMatchObject({ event: 'resume', data: { reason: 'draining' } });
    }
    expect([streams.size, hub.readers, streams.refusalIfFull(undefined)]).toEqual([0, 0, undefined]);
  });

  test('an error ends one stream and releases it', async () => {
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
    const reader = streams.open((start) => liveStream({ hub, after: '', ...start }), user).getReader();
    await text(reader);
    await expect(reader.read()).rejects.toThrow('broken');
    expect([streams.size, hub.readers]).toEqual([0, 0]);
    streams.endAll();
  });

  test('a reader that disconnects is released', async () => {
    const { open, streams, hub, listeners } = opened();
    const reader = open();
    await text(reader);
    await reader.cancel();
    expect([streams.size, hub.readers, listeners()]).toEqual([0, 0, 0]);
  });
});
