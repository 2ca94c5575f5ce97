import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { createEventReader } from '../../src/data/event-stream.ts';

const readAll = (...chunks: readonly string[]) => {
  const reader = createEventReader();
  return { messages: chunks.flatMap((chunk) => reader.push(chunk)), reader };
};

describe('createEventReader', () => {
  test('reads a message with its name and id', () => {
    const { messages, reader } = readAll('id: 7\nevent: change\ndata: {"a":1}\n\n');
    expect(messages).toEqual([{ event: 'change', data: '{"a":1}', id: '7' }]);
    expect(reader.lastId()).toBe('7');
  });

  test('joins data lines, strips one space after the colon, defaults the event name to message', () => {
    expect(readAll('data: one\ndata:  two\ndata\n\n').messages).toEqual([{ event: 'message', data: 'one\n two\n' }]);
  });

  test('ignores comments, unknown fields and messages without data, but keeps their id', () => {
    const { messages, reader } = readAll(': keep-alive\n\nother: x\nid: 3\n\ndata: a\n\n');
    expect(messages).toEqual([{ event: 'message', data: 'a', id: '3' }]);
    expect(reader.lastId()).toBe('3');
  });

  test('buffers an incomplete message', () => {
    const reader = createEventReader();
    expect(reader.push('data: a')).toEqual([]);
    expect(reader.push('b\n')).toEqual([]);
    expect(reader.push('\n')).toEqual([{ event: 'message', data: 'ab' }]);
  });

  test('treats a CRLF split across chunks as one line end', () => {
    expect(readAll('data: a\r', '\ndata: b\r\n\r', '\n').messages).toEqual([{ event: 'message', data: 'a\nb' }]);
  });

  test('reads the reconnect delay', () => {
    expect(readAll('retry: 1500\n\n').reader.retryMs()).toBe(1500);
    expect(readAll('retry: soon\n\n').reader.retryMs()).toBeUndefined();
  });

  test('strips a byte order mark at the start', () => {
    expect(readAll('\uFEFFdata: a\n\n').messages).toEqual([{ event: 'message', data: 'a' }]);
  });

  test('gives the same result for any chunking', () => {
    const line = fc.string({ unit: fc.constantFrom('a', ' ', ':', 'é', '{') });
    const message = fc.record({
      event: fc.constantFrom('change', 'end'),
      id: fc.nat(),
      lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 5 }),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.nat(200), { maxLength: 8 }),
        (sent, end, cuts) => {
          const text = sent
            .map(({ event, id, lines }) => [`event: ${event}`, `id: ${id}`, ...lines.map((data) => `data: ${data}`), '', ''].join(end))
            .join('');
          const edges = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((one, other) => one - other), text.length];
          const chunks = edges.slice(1).map((edge, index) => text.slice(edges[index], edge));
          expect(readAll(...chunks).messages).toEqual(
            sent.map(({ event, id, lines }) => ({ event, id: String(id), data: lines.join('\n') })),
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});
