import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventStreamReader } from '../../../src/client/http/event-stream-reader.ts';

interface Heard {
  readonly events: (readonly [data: string, type: string])[];
  readonly places: string[];
  readonly retries: number[];
  overlong: number;
}

function reader(maxEventBytes = 1000): { readonly heard: Heard; readonly read: (chunk: Buffer) => void } {
  const heard: Heard = { events: [], places: [], retries: [], overlong: 0 };
  const read = eventStreamReader(maxEventBytes, {
    event: (data, type) => heard.events.push([data, type]),
    eventId: (id) => heard.places.push(id),
    retry: (ms) => heard.retries.push(ms),
    tooLong: () => void heard.overlong++,
  });
  return { heard, read };
}

const heardIn = (text: string): Heard => {
  const { heard, read } = reader();
  read(Buffer.from(text));
  return heard;
};

describe('events', () => {
  it.each([
    ['data: a\n\n', [['a', 'message']]],
    ['data:a\ndata: b\ndata:\n\n', [['a\nb\n', 'message']]],
    ['data:  two spaces\n\n', [[' two spaces', 'message']]],
    [
      'event: other\ndata: x\n\ndata: y\n\n',
      [
        ['x', 'other'],
        ['y', 'message'],
      ],
    ],
    ['\uFEFFdata: after a mark\n\n', [['after a mark', 'message']]],
    [': comment\n\ndata: x\n: within\n\n', [['x', 'message']]],
    ['data\n\n', [['', 'message']]],
    ['unknown: y\nid\n\n', []],
    ['data: not ended', []],
    ['data: not ended\n', []],
    [
      'data: a\r\n\r\ndata: b\r\rdata: c\n\n',
      [
        ['a', 'message'],
        ['b', 'message'],
        ['c', 'message'],
      ],
    ],
  ])('%j', (text, events) => {
    expect(heardIn(text).events).toEqual(events);
  });

  it('have an id, with data or without', () => {
    expect(heardIn('id: 1\ndata: a\n\nid: 2\n\nid: with\0zero\n\nid: \n\n')).toMatchObject({
      places: ['1', '2', ''],
      events: [['a', 'message']],
    });
  });

  it('may contain the delay before reconnecting', () => {
    expect(heardIn('retry: 1500\nretry: soon\nretry: -1\n\n').retries).toEqual([1500]);
  });

  it('are the same for any chunks of bytes', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
      fc.constantFrom('', '', ': ping', 'id: 7', 'event: message', 'retry: 5'),
    );
    const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r'))).map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(stream, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (text, sizes) => {
        const bytes = Buffer.from(text);
        const { heard, read } = reader(100_000);
        for (let start = 0, end = 0; start < bytes.length; start = end) {
          end = start + (sizes.next().value ?? 1);
          read(Buffer.from(bytes.subarray(start, end)));
        }
        const whole = reader(100_000);
        whole.read(bytes);
        // What follows shows whether both have read to the same point.
        for (const each of [read, whole.read]) each(Buffer.from('\ndata: last\n\n'));
        expect(heard).toEqual(whole.heard);
      }),
    );
  });
});

describe('an event over the limit', () => {
  it('is reported once, and nothing is read after it', () => {
    const { heard, read } = reader(50);
    for (let index = 0; index < 10; index++) read(Buffer.from(`data: ${'x'.repeat(20)}\n`));
    read(Buffer.from('\ndata: a\n\n'));
    expect(heard).toMatchObject({ events: [], overlong: 1 });
  });

  it('is measured per event: neither the stream nor comments between events count', () => {
    const { heard, read } = reader(50);
    for (let index = 0; index < 10; index++) read(Buffer.from(`data: ${'x'.repeat(20)}\n\n: ${'-'.repeat(30)}\n: ${'-'.repeat(30)}\n`));
    expect(heard.events).toHaveLength(10);
    expect(heard.overlong).toBe(0);
  });
});
