import { createClient } from 'webdav';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['webdav'];

const call = (base) => createClient(base).putFileContents('/a.txt', 'text');

export const cases = [
  ...httpCases(call, { timeout: false, skip: ['422'] }),
  c('locked', 'HTTP 423', (w) => call(w.canned({ status: 423 })), { label: label('transient', 'conflict', false, { unscored: ['classification'] }) }),
  c('full', 'HTTP 507', (w) => call(w.canned({ status: 507 })), { label: label('permanent', 'resource', false, { also: ['quota_exhausted'], unscored: ['classification'] }) }),
];
