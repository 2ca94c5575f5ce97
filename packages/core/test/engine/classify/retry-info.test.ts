/** The wait in the details of a gRPC status. */
import { expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { retryInfoMs } from '../../../src/engine/classify/retry-info.ts';
import { errorWith } from './errors.ts';

const bytesOf = (text: string): readonly number[] => Array.from(text, (letter) => letter.charCodeAt(0));

/** `google.rpc.Status` with one detail. */
function status(duration: readonly number[], type = 'google.rpc.RetryInfo'): Uint8Array {
  const name = bytesOf(`type.googleapis.com/${type}`);
  const any = [0x0a, name.length, ...name, 0x12, duration.length + 2, 0x0a, duration.length, ...duration];
  return Uint8Array.from([0x08, 8, 0x12, 2, 0x68, 0x69, 0x1a, any.length, ...any]);
}

const halfSecond = [0x10, 0x80, 0xca, 0xb5, 0xee, 0x01];

it('is the sum of seconds and nanoseconds', () => {
  expect(retryInfoMs(status([0x08, 5]))).toBe(5000);
  expect(retryInfoMs(status([0x08, 5, ...halfSecond]))).toBe(5500);
  expect(retryInfoMs(status([0x08, 0xac, 0x02]))).toBe(300_000);
  expect(retryInfoMs(status(halfSecond))).toBe(500);
});

it('is not read from anything else', () => {
  expect(retryInfoMs(new Uint8Array())).toBeUndefined();
  expect(retryInfoMs(status([0x08, 5], 'google.rpc.ErrorInfo'))).toBeUndefined();
  expect(retryInfoMs(status([0x1a, 5]))).toBeUndefined();
  expect(retryInfoMs(status([]))).toBeUndefined();
  for (let length = 0; length < 60; length += 1) expect(() => retryInfoMs(status([0x08, 5]).subarray(0, length))).not.toThrow();
});

it('is found in the metadata of an error', () => {
  const metadata = { get: (key: string) => (key === 'grpc-status-details-bin' ? [status([0x08, 7])] : []) };
  const error = errorWith({ code: 8, details: 'slow down', metadata }, '8 RESOURCE_EXHAUSTED: slow down');
  expect(classify(error, { nowEpochMs: 0 })).toMatchObject({ category: 'rate_limit', retryAfterMs: 7000 });
});
