import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineReader } from '../../../src/client/stdio/line-reader.ts';
import { membersOf } from '../../../src/client/stdio/oversized-message.ts';

function reader(maxLineBytes: number): { readonly heard: string[]; readonly read: (chunk: Buffer) => void } {
  const heard: string[] = [];
  const read = lineReader(maxLineBytes, {
    line: (text) => heard.push(`line ${text}`),
    overlong: (head) => heard.push(`head ${head}`),
    overlongEnd: (tail) => heard.push(`tail ${tail}`),
  });
  return { heard, read };
}

describe('lines', () => {
  it('are the same for any chunks of bytes', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 }).map((line) => line.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(text), fc.infiniteStream(fc.integer({ min: 1, max: 7 })), (lines, sizes) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const { heard, read } = reader(20);
        for (let start = 0, end = 0; start < bytes.length; start = end) {
          end = start + (sizes.next().value ?? 1);
          read(Buffer.from(bytes.subarray(start, end)));
        }
        const isLong = (line: string): boolean => Buffer.byteLength(line) > 20;
        expect(heard.filter((each) => each.startsWith('line '))).toEqual(
          lines.filter((line) => line !== '' && !isLong(line)).map((line) => `line ${line}`),
        );
        expect(heard.filter((each) => each.startsWith('tail '))).toEqual(
          lines.filter(isLong).map((line) => `tail ${Buffer.from(line).toString('latin1')}`),
        );
        expect(heard.filter((each) => each.startsWith('head '))).toHaveLength(lines.filter(isLong).length);
      }),
    );
  });

  it('that are too long are reported as soon as the limit is exceeded, with their start and end', () => {
    const { heard, read } = reader(5000);
    read(Buffer.from(`begin${'x'.repeat(3000)}`));
    expect(heard).toEqual([]);
    read(Buffer.from('x'.repeat(3000)));
    expect(heard).toEqual([expect.stringMatching(/^head beginx{1019}$/)]);
    for (let index = 0; index < 100; index++) read(Buffer.from('y'.repeat(1000)));
    read(Buffer.from('end\nnext\n'));
    expect(heard.slice(1)).toEqual([expect.stringMatching(/^tail y{1021}end$/), 'line next']);
  });
});

describe('the id in a part of a message', () => {
  it.each([
    ['head', '{"jsonrpc":"2.0","id":7,"result":{"content":[', '7', false],
    ['head', ' { "id" : "12", "jsonrpc" : "2.0", "result" : {', '12', false],
    ['head', '{"result":{"id":9,"content":[', undefined, false],
    ['head', '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"', undefined, true],
    ['head', 'a log line {"id":7', undefined, false],
    ['tail', 'xxx"}]},"jsonrpc":"2.0","id":3}', '3', false],
    ['tail', 'xxx"}]},"id":"4","jsonrpc":"2.0" } ', '4', false],
    ['tail', 'xxx"}],"id":5}}', undefined, false],
    ['tail', String.raw`xxx{\"a\":1,\"id\":6}"}`, undefined, false],
    ['tail', 'xxx},"method":"x","id":8}', '8', true],
    ['tail', 'xxx', undefined, false],
  ] as const)('%s %s', (where, text, id, hasMethod) => {
    expect(membersOf(text, where)).toEqual({ id, hasMethod });
  });

  it('is found fast in any text', () => {
    const before = performance.now();
    for (const text of ['{'.padEnd(1024, '"a":1,'), ',"a":1'.repeat(170), `{${'"a" : "\\'.repeat(120)}`, ' '.repeat(1024)])
      for (const where of ['head', 'tail'] as const) membersOf(text, where);
    expect(performance.now() - before).toBeLessThan(2000);
  });
});
