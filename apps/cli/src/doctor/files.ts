/** Checks the files that the gateway writes: the trace store and the audit log. */
import { constants, existsSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Manifest } from '@holdfast/manifest';
import { type GlobalOptions, displayPath } from '../config.ts';
import { openReadOnly, placeOf } from '../store.ts';
import type { Finding } from './finding.ts';

/** Why a file cannot be written; `undefined` when it can. */
async function findWriteProblem(path: string): Promise<string | undefined> {
  if (existsSync(path)) {
    if ((await stat(path)).isDirectory()) return 'is a folder';
    return checkWritable(path);
  }
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(folder)) return (await stat(folder)).isDirectory() ? checkWritable(folder) : `${displayPath(folder)} is not a folder`;
    if (dirname(folder) === folder) return 'its folder does not exist';
  }
}

async function checkWritable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return `no permission to write ${displayPath(path)} (${String((error as { readonly code?: unknown }).code)})`;
  }
}

export async function checkStore(options: GlobalOptions, manifest: Manifest): Promise<readonly Finding[]> {
  const place = placeOf(options, manifest);
  if (place === undefined) return [{ check: 'store', status: 'ok', message: 'disabled: no trace is kept' }];
  if ('database' in place) return [await (await import('./database.ts')).checkDatabase(place.database)];
  const { path } = place.file;
  const why = await findWriteProblem(path);
  if (why !== undefined)
    return [
      {
        check: 'store',
        status: 'error',
        message: `${displayPath(path)}: ${why}`,
        advice: 'Set store.path to another path, or give this user write permission.',
      },
    ];
  if (!existsSync(path)) return [{ check: 'store', status: 'ok', message: `${displayPath(path)} will be created on first use` }];
  const store = await openReadOnly(place);
  const turns = await store.listTurns({ limit: 1 });
  const { ok, problem } = store.status();
  await store.close();
  if (!ok)
    return [
      {
        check: 'store',
        status: 'warning',
        message: `${displayPath(path)}: ${problem ?? 'cannot be read'}`,
        advice: 'A damaged file is renamed, and a new one is created.',
      },
    ];
  return [{ check: 'store', status: 'ok', message: `${displayPath(path)}${turns.length === 0 ? ', empty' : ''}` }];
}

export async function checkAudit({ gateway }: Manifest): Promise<readonly Finding[]> {
  if (gateway.audit === false) return [];
  const why = await findWriteProblem(gateway.audit);
  const path = displayPath(gateway.audit);
  if (why !== undefined)
    return [
      {
        check: 'audit',
        status: 'error',
        message: `${path}: ${why}`,
        advice: 'Calls would run without an audit log: set gateway.audit to another path.',
      },
    ];
  return [{ check: 'audit', status: 'ok', message: path }];
}
