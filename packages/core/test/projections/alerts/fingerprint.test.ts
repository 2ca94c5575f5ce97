import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fingerprint } from '../../../src/projections/alerts/fingerprint.ts';

/** Any character; fast-check's `binary` takes seconds to generate. */
const character = fc
  .integer({ min: 0, max: 0x10_ff_ff })
  .map((point) => (point >= 0xd8_00 && point <= 0xdf_ff ? '-' : String.fromCodePoint(point)));
const text = fc.string({ unit: fc.oneof(character, fc.constantFrom('a', 'é', '日', '😀')), maxLength: 12 });

const number = (labels: Readonly<Record<string, string>>): bigint => BigInt(`0x${fingerprint(labels)}`);

it('equals the fingerprint of Prometheus', () => {
  // From the tests of signatures in Prometheus.
  expect(number({})).toBe(14_695_981_039_346_656_037n);
  expect(number({ name: 'garland, briggs', fear: 'love is not enough' })).toBe(5_799_056_148_416_392_346n);
});

it('has 16 digits for any labels in any order', () => {
  const anyLabels = fc.dictionary(text, text, { maxKeys: 6 });
  fc.assert(
    fc.property(anyLabels, (labels) => {
      expect(fingerprint(labels)).toMatch(/^[0-9a-f]{16}$/);
      expect(fingerprint(Object.fromEntries(Object.entries(labels).toReversed()))).toBe(fingerprint(labels));
    }),
  );
});

it('is calculated over UTF-8', () => {
  const encoder = new TextEncoder();
  const plain = (labels: Readonly<Record<string, string>>): string => {
    const bytes = Object.entries(labels)
      .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .flatMap(([name, value]) => [...encoder.encode(name), 0xff, ...encoder.encode(value), 0xff]);
    const hash = bytes.reduce((sum, byte) => BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x1_00_00_00_01_b3n), 0xcb_f2_9c_e4_84_22_23_25n);
    return hash.toString(16).padStart(16, '0');
  };
  fc.assert(
    fc.property(fc.dictionary(text, text, { maxKeys: 4 }), (labels) => {
      expect(fingerprint(labels)).toBe(plain(labels));
    }),
  );
});
