import { Client } from 'minio';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['minio'];

const call = (base) => {
  const url = new URL(base);
  return new Client({ endPoint: url.hostname, port: Number(url.port), useSSL: false, accessKey: 'a', secretKey: 'b', region: 'us-east-1', retryOptions: { disableRetry: true } }).putObject('bucket', 'key', 'text');
};
const fail = (id, status, code, wanted) => c(id, `HTTP ${status} ${code}`, async (w) => call(await w.ownServer({ status, headers: { 'content-type': 'application/xml' }, body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message><Resource>/bucket</Resource></Error>` })), { label: wanted });

export const cases = [
  fail('no-bucket', 404, 'NoSuchBucket', label('permanent', 'not_found', false)),
  fail('denied', 403, 'AccessDenied', label('permanent', 'permission', false)),
  fail('bad-key', 403, 'InvalidAccessKeyId', label('permanent', 'auth', false, { also: ['permission'] })),
  fail('slow-down', 503, 'SlowDown', label('transient', 'rate_limit', false, { also: ['unavailable'], unscored: ['ambiguous'] })),
  fail('too-large', 400, 'EntityTooLarge', label('permanent', 'payload_too_large', false)),
  c('refused', 'nobody listens', (w) => call(w.refused), { label: label('transient', 'network', false) }),
  c('reset', 'reset after the request', (w) => call(w.fault('reset-request', '')), { label: label('transient', 'network', true) }),
  c('bad-name', 'an invalid bucket name', async (w) => new Client({ endPoint: '127.0.0.1', accessKey: 'a', secretKey: 'b' }).putObject('B!', 'k', 'x'), { label: label('permanent', 'invalid_input', false) }),
];
