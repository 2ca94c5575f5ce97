import superagent from 'superagent';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['superagent'];

const post = (base) => superagent.post(`${base}/orders`).timeout(1500).send({ a: 1 });

export const cases = [
  ...httpCases(post),
  c('abort', 'the caller aborts', (w) => { const request = superagent.post(w.fault('silent')); setTimeout(() => request.abort(), 50); return new Promise((_resolve, reject) => request.on('abort', () => reject(Object.assign(new Error('Aborted'), { code: 'ABORTED' }))).end((error) => error && reject(error))); }, { label: label('neutral', 'cancelled', true, { unscored: ['ambiguous'] }) }),
  c('redirects', 'more redirects than allowed', (w) => superagent.get(w.url('/redirect-loop')).redirects(2).ok(() => true).then((response) => { throw Object.assign(new Error('Too many redirects'), { status: response.status }); }), { label: label('permanent', 'contract', true, { also: ['unsupported', 'unknown'], unscored: ['ambiguous', 'category'] }) }),
  c('parser', 'a body that is not JSON', (w) => superagent.post(w.canned({ status: 200, headers: { 'content-type': 'application/json' }, body: '{oops' })), { label: label('permanent', 'contract', true, { unscored: ['ambiguous'] }) }),
];
