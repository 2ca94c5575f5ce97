import { mkdirSync } from 'node:fs';
import { simpleGit } from 'simple-git';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['simple-git'];

const folder = (w) => { const path = `${w.tmp}/simple`; mkdirSync(path, { recursive: true }); return path; };
const repo = async (w) => { const git = simpleGit({ baseDir: folder(w) }); await git.init(); return git; };
const P = (category, more) => ({ label: label('permanent', category, false, more), needs: ['git'], serial: true });

export const cases = [
  c('pathspec', 'checkout of a branch that does not exist', async (w) => (await repo(w)).checkout('nothing'), P('not_found', { also: ['invalid_input'] })),
  c('remote', 'push to a remote that does not exist', async (w) => (await repo(w)).push('nowhere', 'main'), P('not_found', { also: ['invalid_input', 'network'] })),
  c('refused', 'clone: nobody listens', (w) => simpleGit({ baseDir: w.tmp }).clone(`${w.refused}/x.git`, `${w.tmp}/clone1`), { label: label('transient', 'network', false), needs: ['git'] }),
  c('404', 'clone: HTTP 404', (w) => simpleGit({ baseDir: w.tmp }).clone(w.canned({ status: 404 }), `${w.tmp}/clone2`), P('not_found')),
  c('unknown', 'a subcommand that does not exist', async (w) => (await repo(w)).raw('frobnicate'), P('unsupported', { also: ['invalid_input', 'not_found'] })),
];
