/**
 * Owns the wait in `grpc-status-details-bin`: a `google.rpc.RetryInfo` in the protocol-buffer form of `google.rpc.Status`. Does not own other details.
 *
 * 1. Total: bytes that are anything else have no wait.
 */
const marker = 'google.rpc.RetryInfo';
const bytesLimit = 4096;

/** The wait in ms, rounded up. */
export function retryInfoMs(bytes: Uint8Array): number | undefined {
  const text = Array.from(bytes.subarray(0, bytesLimit), (byte) => String.fromCharCode(byte)).join('');
  const at = text.indexOf(marker);
  // The name of the type, then field 2, the length of the message, and in it field 1, the length of the duration.
  let next = at + marker.length;
  if (at < 0 || bytes[next] !== 0x12 || bytes[next + 2] !== 0x0a) return undefined;
  const end = Math.min(next + 4 + (bytes[next + 3] ?? 0), bytes.length);
  next += 4;
  let ms = 0;
  while (next < end) {
    const field = bytes[next] ?? 0;
    const [value, after] = varint(bytes, next + 1);
    if (field === 0x08) ms += value * 1000;
    else if (field === 0x10) ms += value / 1e6;
    else return undefined;
    next = after;
  }
  return ms > 0 ? Math.ceil(ms) : undefined;
}

function varint(bytes: Uint8Array, start: number): readonly [value: number, after: number] {
  let value = 0;
  let at = start;
  for (let scale = 1; at < start + 8; scale *= 128, at += 1) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
  }
  return [value, at + 1];
}
