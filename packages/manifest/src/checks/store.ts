/** Owns the checks of `store` that look at more than one value. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { PathStep } from '../problem.ts';
import { quote } from '../shape/describe.ts';
import type { Checking } from './checking.ts';

export function checkStore(store: unknown, checking: Checking): void {
  if (typeof store === 'string') return checkPassword(store, ['store'], checking);
  if (!isRecord(store) || store['postgres'] === undefined) return;
  for (const key of ['path', 'durability', 'max_bytes']) checkAlone(store, key, checking);
  const { postgres } = store;
  if (typeof postgres === 'string') checkPassword(postgres, ['store', 'postgres'], checking);
  else if (isRecord(postgres)) checkPassword(postgres['url'], ['store', 'postgres', 'url'], checking);
}

function checkAlone(store: Readonly<Record<string, unknown>>, key: string, { source, reading }: Checking): void {
  if (store[key] === undefined) return;
  const where = ['store', key];
  const message = `${quote(key)} cannot be combined with 'postgres'`;
  source.report({ code: 'run_kind', at: reading.keyAt(...where), path: where, message, allowed: 'a file, or a database' });
}

/** Credentials come from the environment, so that the file contains no secrets. */
function checkPassword(url: unknown, path: readonly PathStep[], { source, reading }: Checking): void {
  if (typeof url !== 'string' || !URL.canParse(url) || new URL(url).password === '') return;
  const [start, end] = reading.at(...path);
  if (source.text.slice(start, end).includes('${env:')) return;
  source.report({
    code: 'not_allowed',
    at: reading.at(...path),
    path,
    message: 'the password of the database is in the file',
    allowed: 'store: { postgres: { url: postgres://user@host/database, password: { env: NAME_OF_A_VARIABLE } } }',
  });
}
