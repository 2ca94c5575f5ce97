/**
 * Owns an alert's fingerprint, the same that Alertmanager calculates: FNV-1a 64 over its labels in the order of their names, each as name 0xFF value 0xFF in UTF-8.
 */
import type { Labels } from './alert.ts';

const OFFSET = 0xcb_f2_9c_e4_84_22_23_25n;
const PRIME = 0x1_00_00_00_01_b3n;
const SEPARATOR = 0xff;

/** 16 hexadecimal digits. */
export function fingerprint(labels: Labels): string {
  let hash = OFFSET;
  const add = (byte: number): void => {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  };
  for (const name of Object.keys(labels).toSorted(byCodePoint)) {
    for (const text of [name, labels[name] ?? '']) {
      for (const character of text) addUtf8(character.codePointAt(0) ?? 0, add);
      add(SEPARATOR);
    }
  }
  return hash.toString(16).padStart(16, '0');
}

/** The order of UTF-8 bytes: by code point, not by UTF-16 unit. */
function byCodePoint(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = (a[index]?.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function addUtf8(codePoint: number, add: (byte: number) => void): void {
  // A lone surrogate is not a character: encoders write U+FFFD.
  const point = codePoint >= 0xd8_00 && codePoint <= 0xdf_ff ? 0xff_fd : codePoint;
  if (point < 0x80) return add(point);
  if (point < 0x8_00) add(0xc0 | (point >> 6));
  else {
    if (point < 0x1_00_00) add(0xe0 | (point >> 12));
    else {
      add(0xf0 | (point >> 18));
      add(0x80 | ((point >> 12) & 0x3f));
    }
    add(0x80 | ((point >> 6) & 0x3f));
  }
  add(0x80 | (point & 0x3f));
}
