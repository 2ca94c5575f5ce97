// Small HTTP clients.
import { Xior } from 'xior';
import redaxios from 'redaxios';
import phin from 'phin';
import { httpCases } from '../world/matrix.mjs';

export const packages = ['xior', 'redaxios', 'phin'];

const named = (name, cases) => cases.map((each) => ({ ...each, id: `${name}-${each.id}` }));
const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };

export const cases = [
  ...named('xior', httpCases((base) => new Xior({ timeout: 2000 }).post(`${base}/orders`, {}))),
  ...named('redaxios', httpCases((base) => redaxios.post(`${base}/orders`, {}), { timeout: false })),
  ...named('phin', httpCases((base) => phin({ url: `${base}/orders`, ...json, timeout: 2000 }), { skip: ['401', '404', '422', '429', '503', '504'] })),
];
