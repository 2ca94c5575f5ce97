/** Owns looking at the files that the gateway keeps: the trace, the audit, the lock of the tools. */
import { constants, existsSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Manifest } from '@holdfast/manifest';
import { type GlobalOptions, displayed } from '../config.ts';
import { openToRead, placeOf } from '../store.ts';
import type { Finding } from './finding.ts';

/** Why a file cannot be written; `undefined` when it can. */
async function obstacle(path: string): Promise<string | undefined> {
  if (existsSync(path)) {
    if ((await stat(path)).isDirectory()) return 'it is a folder';
    return writable(path);
  }
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(folder)) return (await stat(folder)).isDirectory() ? writable(folder) : `${displayed(folder)} is no folder`;
    if (dirname(folder) === folder) return 'there is no folder for it';
  }
}

async function writable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return `${displayed(path)} cannot be written (${String((error as { readonly code?: unknown }).code)})`;
  }
}

export async function checkStore(options: GlobalOptions, manifest: Manifest): Promise<readonly Finding[]> {
  const place = placeOf(options, manifest);
  if (place === undefined) return [{ check: 'store', status: 'ok', message: 'nothing is kept: the store is switched off' }];
  if ('database' in place) return [await (await import('./database.ts')).checkDatabase(place.database)];
  const { path } = place.file;
  const why = await obstacle(path);
  if (why !== undefined)
    return [
      {
        check: 'store',
        status: 'error',
        message: `${displayed(path)}: ${why}`,
        advice: 'Name another path under store.path, or give this user the right to write it.',
      },
    ];
  if (!existsSync(path)) return [{ check: 'store', status: 'ok', message: `${displayed(path)} will be made` }];
  const store = await openToRead(place);
  const turns = await store.listTurns({ limit: 1 });
  const { ok, problem } = store.status();
  await store.close();
  if (!ok)
    return [
      {
        check: 'store',
        status: 'warning',
        message: `${displayed(path)}: ${problem ?? 'it cannot be read'}`,
        advice: 'A damaged file is put aside and a new one begun.',
      },
    ];
  return [{ check: 'store', status: 'ok', message: `${displayed(path)}${turns.length === 0 ? ', empty' : ''}` }];
}

export async function checkAudit({ gateway }: Manifest): Promise<readonly Finding[]> {
  if (gateway.audit === false) return [];
  const why = await obstacle(gateway.audit);
  const path = displayed(gateway.audit);
  if (why !== undefined)
    return [
      {
        check: 'audit',
        status: 'error',
        message: `${path}: ${why}`,
        advice: 'Calls would continue without an audit: name another path under gateway.audit.',
      },
    ];
  return [{ check: 'audit', status: 'ok', message: path }];
}
