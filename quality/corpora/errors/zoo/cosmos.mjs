import { CosmosClient } from '@azure/cosmos';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['@azure/cosmos'];

const call = (endpoint) => new CosmosClient({ endpoint, key: 'a2V5', connectionPolicy: { requestTimeout: 5000, enableEndpointDiscovery: false, enableBackgroundEndpointRefreshing: false, retryOptions: { maxRetryAttemptCount: 0, fixedRetryIntervalInMilliseconds: 1, maxWaitTimeInSeconds: 0 } } }).database('d').container('c').items.upsert({ id: '1' });
const fail = (id, status, code, wanted, headers) => c(id, `HTTP ${status} ${code}`, async (w) => call(await w.ownServer({ status, headers, body: { code, message: `Message: {"Errors":["${code}"]}` } })), { label: wanted });

export const cases = [
  fail('400', 400, 'BadRequest', label('permanent', 'invalid_input', false)),
  fail('401', 401, 'Unauthorized', label('permanent', 'auth', false)),
  fail('404', 404, 'NotFound', label('permanent', 'not_found', false)),
  fail('412', 412, 'PreconditionFailed', label('permanent', 'conflict', false)),
  fail('413', 413, 'RequestEntityTooLarge', label('permanent', 'payload_too_large', false)),
  fail('429', 429, 'TooManyRequests', label('transient', 'rate_limit', false, { unscored: ['retryAfterMs'] }), { 'x-ms-retry-after-ms': '120' }),
  fail('449', 449, 'RetryWith', label('transient', 'conflict', false)),
  c('refused', 'nobody listens', (w) => call(w.refused), { label: label('transient', 'network', false) }),
];
