import fs from 'node:fs';
import git from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['isomorphic-git'];

const clone = (w, url) => git.clone({ fs, http, dir: `${w.tmp}/iso-${Math.random()}`, url });
const P = (category, more) => ({ label: label('permanent', category, false, more) });

export const cases = [
  c('404', 'clone: HTTP 404', (w) => clone(w, w.canned({ status: 404 })), P('not_found')),
  c('401', 'clone: HTTP 401', (w) => clone(w, w.canned({ status: 401 })), P('auth')),
  c('503', 'clone: HTTP 503', (w) => clone(w, w.canned({ status: 503 })), { label: label('transient', 'unavailable', false, { unscored: ['ambiguous'] }) }),
  c('refused', 'clone: nobody listens', (w) => clone(w, `${w.refused}/x.git`), { label: label('transient', 'network', false) }),
  c('no-ref', 'a ref that does not exist', async (w) => { const dir = `${w.tmp}/iso`; await git.init({ fs, dir }); await git.resolveRef({ fs, dir, ref: 'nothing' }); }, P('not_found')),
  c('no-message', 'commit without a message', (w) => git.commit({ fs, dir: `${w.tmp}/iso` }), P('invalid_input')),
];
