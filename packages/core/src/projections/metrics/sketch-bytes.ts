/** Owns the binary form of a sketch: a version, three numbers, and the buckets as variable-length distances and counts. */

/** The data of a sketch. */
export interface SketchContent {
  /** Sum of the samples. */
  readonly sum: number;
  /** Smallest sample; 0 while there are none. */
  readonly min: number;
  /** Largest sample; 0 while there are none. */
  readonly max: number;
  /** Samples by bucket; `sketchBucketBounds` returns the bounds of a bucket. */
  readonly counts: ReadonlyMap<number, number>;
}

const version = 1;
const headLength = 25;

export function writeSketch({ sum, min, max, counts }: SketchContent): Uint8Array {
  const tail: number[] = [];
  let previous = 0;
  for (const [bucket, count] of [...counts].sort(([a], [b]) => a - b)) {
    writeNumber(tail, bucket - previous);
    writeNumber(tail, count);
    previous = bucket;
  }
  const bytes = new Uint8Array(headLength + tail.length);
  const head = new DataView(bytes.buffer);
  head.setUint8(0, version);
  [sum, min, max].forEach((value, index) => head.setFloat64(1 + index * 8, value));
  bytes.set(tail, headLength);
  return bytes;
}

/** @throws RangeError when the bytes are not a sketch */
export function readSketch(bytes: Uint8Array, maxBucket: number): SketchContent {
  if (bytes.length < headLength || bytes[0] !== version) throw damageError('wrong header');
  const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const counts = new Map<number, number>();
  const position = { at: headLength };
  let bucket = 0;
  while (position.at < bytes.length) {
    bucket += readNumber(bytes, position);
    const count = readNumber(bytes, position);
    if (bucket > maxBucket || count === 0 || counts.has(bucket)) throw damageError('a bucket is out of place');
    counts.set(bucket, count);
  }
  const [sum, min, max] = [head.getFloat64(1), head.getFloat64(9), head.getFloat64(17)];
  if (!Number.isFinite(sum) || !(min >= 0 && max >= min)) throw damageError('its numbers are inconsistent');
  return { sum, min, max, counts };
}

/** Seven bits per byte, lowest first. Uses division, since bit operations are limited to 32 bits. */
function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

function readNumber(bytes: Uint8Array, position: { at: number }): number {
  let value = 0;
  for (let scale = 1; scale <= Number.MAX_SAFE_INTEGER; scale *= 128) {
    const byte = bytes[position.at];
    if (byte === undefined) throw damageError('unexpected end');
    position.at += 1;
    value += (byte % 128) * scale;
    if (byte < 128) return value;
  }
  throw damageError('a number is too long');
}

const damageError = (why: string): RangeError =>
  new RangeError(`createLatencySketch: the bytes are not a sketch (${why}); pass the bytes that toBytes() returned`);
