import nano from 'nano';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['nano'];

const call = (base) => nano({ url: base }).use('orders').insert({ a: 1 }, 'id');
const couch = (id, status, error, reason, wanted) => c(id, `HTTP ${status} ${error}`, async (w) => call(await w.ownServer({ status, body: { error, reason } })), { label: wanted });

export const cases = [
  ...httpCases(call, { skip: ['422', 'timeout'], hint: false, own: true }),
  couch('conflict', 409, 'conflict', 'Document update conflict.', label('permanent', 'conflict', false, { unscored: ['classification'] })),
  couch('unauthorized', 401, 'unauthorized', 'Name or password is incorrect.', label('permanent', 'auth', false)),
  couch('missing', 404, 'not_found', 'Database does not exist.', label('permanent', 'not_found', false)),
];
