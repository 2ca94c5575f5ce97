import { algoliasearch } from 'algoliasearch';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['algoliasearch'];

const call = (base) => {
  const url = new URL(base);
  const hosts = [{ url: url.host + (url.pathname === '/' ? '' : url.pathname), protocol: 'http', accept: 'readWrite' }];
  return algoliasearch('app', 'key', { hosts, timeouts: { connect: 2000, read: 2000, write: 2000 } }).saveObject({ indexName: 'orders', body: { objectID: '1' } });
};
const http = (id, status, message, wanted) => c(id, `HTTP ${status}`, async (w) => call(await w.ownServer({ status, body: { message, status } })), { label: wanted });

export const cases = [
  http('403', 403, 'Invalid Application-ID or API key', label('permanent', 'auth', false, { also: ['permission'] })),
  http('404', 404, 'Index orders does not exist', label('permanent', 'not_found', false)),
  http('400', 400, 'Record quota exceeded. Change plan or delete records.', label('permanent', 'quota_exhausted', false)),
  http('too-big', 413, 'Record at the position 0 objectID=1 is too big size=10400/10000 bytes', label('permanent', 'payload_too_large', false)),
  http('429', 429, 'Too many requests', label('transient', 'rate_limit', false)),
  c('refused', 'nobody listens', (w) => call(w.refused), { label: label('transient', 'network', false, { also: ['unavailable'], unscored: ['ambiguous'] }) }),
];
