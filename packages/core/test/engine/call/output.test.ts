import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliverOutput } from '../../../src/engine/call/output.ts';
import { hostileValues } from '../../support/hostile-values.ts';

const LIMIT = 1_000;
const textOf = (value: unknown): string => JSON.stringify(value) ?? '';

describe('the delivered output', () => {
  it.each(Object.keys(hostileValues))('of %s can be represented in JSON, and is not too long', (name) => {
    const { output } = deliverOutput(hostileValues[name]?.(), LIMIT);
    expect(textOf(output).length).toBeLessThan(LIMIT * 8);
  });

  it('is the tool’s own value if possible', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const delivered = deliverOutput(value, 1_000_000);
        expect(delivered).toEqual({ output: value });
        expect(Object.is(delivered.output, value)).toBe(true);
      }),
    );
  });

  it('is never much longer than the limit', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
        }),
        fc.integer({ min: 1, max: 500 }),
        (value, limit) => {
          const { output, altered } = deliverOutput(value, limit);
          expect(altered === undefined ? textOf(output).length : textOf(output).length - 300).toBeLessThan(limit * 8 + 300);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('reports how it was altered', () => {
    expect(deliverOutput({ id: 10n }, LIMIT)).toEqual({ output: { id: '10' }, altered: 'converted' });
    expect(deliverOutput('x'.repeat(2_000), LIMIT)).toMatchObject({ altered: 'truncated' });
    const ring: Record<string, unknown> = { name: 'ring' };
    ring['self'] = ring;
    expect(deliverOutput(ring, LIMIT)).toEqual({ output: { name: 'ring', self: '[circular]' }, altered: 'converted' });
  });

  it('keeps an own __proto__', () => {
    const { output } = deliverOutput(JSON.parse('{"__proto__": {"polluted": true}, "id": 1}'), LIMIT);
    expect((output as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each<readonly [string, () => ArrayBufferView]>([
    ['a typed array', () => new Uint8Array(1_000)],
    ['wide elements', () => new Float64Array(125)],
    ['a view', () => new DataView(new ArrayBuffer(1_000))],
    ['a buffer', () => Buffer.alloc(1_000)],
  ])('of %s is measured in bytes', (_name, make) => {
    const bytes = make();
    expect(deliverOutput(bytes, 1_000, 1_000)).toEqual({ output: bytes });
    const parts = { name: 'report.pdf', bytes };
    expect(deliverOutput(parts, 1_000, 1_000).output).toBe(parts);
    expect(deliverOutput(bytes, 1_000, 999)).toEqual({ output: '[binary, 1000 bytes]', altered: 'truncated' });
    expect(deliverOutput({ ...parts, more: 1 }, 1_000, 999).output).toEqual({ name: 'report.pdf', bytes: '[binary, 1000 bytes]', more: 1 });
  });

  it.each([
    ['an ArrayBuffer', new ArrayBuffer(2_000)],
    ['a Blob', new Blob(['x'.repeat(2_000)])],
    ['a File', new File(['x'.repeat(2_000)], 'a.txt')],
  ])('of %s is the value itself: it takes no room in JSON', (_name, value) => {
    const delivered = deliverOutput(value, 1_000, 1_000);
    expect(delivered).not.toHaveProperty('altered');
    expect(delivered.output).toBe(value);
  });

  it('ignores inherited fields, as JSON does', () => {
    const value = Object.create({ inherited: 'x'.repeat(LIMIT), big: 1n }) as { own: number };
    value.own = 1;
    expect(deliverOutput(value, LIMIT)).toEqual({ output: value });
  });

  it('over the limit is read no further than the limit needs', () => {
    let reads = 0;
    const list = Array.from({ length: 300_000 }, () => ({
      get id() {
        reads += 1;
        return 'abc';
      },
    }));
    expect(deliverOutput(list, LIMIT).altered).toBe('truncated');
    expect(reads).toBeLessThan(LIMIT);
  });

  it('of 20 MB of bytes takes no more memory than the kept part', () => {
    expect(textOf(deliverOutput(new Uint8Array(20_000_000), LIMIT).output).length).toBeLessThan(LIMIT * 8);
  });
});
