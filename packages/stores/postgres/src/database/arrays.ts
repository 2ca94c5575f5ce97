/**
 * Owns how a column of many rows is sent: PostgreSQL's binary form of an array. As text each element would be quoted and escaped, which for JSON is most of the
 * work of a batch.
 */
const typeOf = { int4: 23, int8: 20, text: 25 } as const;

const headerBytes = 20;

function header(buffer: Buffer, type: keyof typeof typeOf, count: number, hasNulls: boolean): void {
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(hasNulls ? 1 : 0, 4);
  buffer.writeInt32BE(typeOf[type], 8);
  buffer.writeInt32BE(count, 12);
  buffer.writeInt32BE(1, 16);
}

/** Of whole numbers within ±2^31. */
export function int4Array(values: readonly number[]): Buffer {
  const buffer = Buffer.allocUnsafe(headerBytes + values.length * 8);
  header(buffer, 'int4', values.length, false);
  let at = headerBytes;
  for (const value of values) {
    buffer.writeInt32BE(4, at);
    at = buffer.writeInt32BE(value, at + 4);
  }
  return buffer;
}

/** Of whole numbers within ±2^53. */
export function int8Array(values: readonly (number | null)[]): Buffer {
  const buffer = Buffer.allocUnsafe(headerBytes + values.length * 12);
  let at = headerBytes;
  let hasNulls = false;
  for (const value of values) {
    if (value === null) {
      hasNulls = true;
      at = buffer.writeInt32BE(-1, at);
      continue;
    }
    at = buffer.writeInt32BE(8, at);
    // Two halves are faster than one BigInt.
    const high = Math.floor(value / 0x1_0000_0000);
    at = buffer.writeInt32BE(high, at);
    at = buffer.writeUInt32BE(value - high * 0x1_0000_0000, at);
  }
  header(buffer, 'int8', values.length, hasNulls);
  return buffer.subarray(0, at);
}

export function textArray(values: readonly (string | null)[]): Buffer {
  // One UTF-16 unit becomes at most three bytes.
  const longest = values.reduce((sum, value) => sum + 4 + (value === null ? 0 : value.length * 3), headerBytes);
  const buffer = Buffer.allocUnsafe(longest);
  let at = headerBytes;
  let hasNulls = false;
  for (const value of values) {
    if (value === null) {
      hasNulls = true;
      at = buffer.writeInt32BE(-1, at);
      continue;
    }
    const length = buffer.write(value, at + 4);
    buffer.writeInt32BE(length, at);
    at += 4 + length;
  }
  header(buffer, 'text', values.length, hasNulls);
  return buffer.subarray(0, at);
}
