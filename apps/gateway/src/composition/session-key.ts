/**
 * Owns the key of session ids: from the manifest, from the database that gateways share, or from a file beside the trace.
 *
 * Invariant: a gateway without any of them starts, and its sessions end with it.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, postgresOptions } from '@holdfast/manifest';
import { createPrivateFile } from '../plain/create-private-file.ts';
import { dataFolder } from './data-folder.ts';

const minLength = 32;

/** Rejects with a `TypeError` for a key of the manifest that is missing or short. */
export async function sessionKey(manifest: Manifest, onFault: (text: string) => void): Promise<string | undefined> {
  const { gateway, store } = manifest;
  if (gateway.sessionKey !== undefined) return keyOfVariable(gateway.sessionKey.env);
  try {
    if (store !== false && 'postgres' in store) {
      const { postgresSharedKey } = await import('@holdfast/store-postgres');
      return await postgresSharedKey({ ...postgresOptions(store.postgres), name: 'sessions' });
    }
    const folder = dataFolder(manifest);
    return folder === undefined ? undefined : await keyOfFile(join(folder, 'session.key'));
  } catch (error) {
    onFault(`The key of session ids cannot be kept, so sessions end with this process: ${String((error as Error).message)}`);
    return undefined;
  }
}

function keyOfVariable(name: string): string {
  const value = process.env[name] ?? '';
  if (value.length >= minLength) return value;
  const problem = value === '' ? 'is not set' : `has ${value.length} characters`;
  throw new TypeError(
    `gateway.session_key: the environment variable ${name} ${problem}. Set it to at least ${minLength} random characters, for example from \`openssl rand -base64 32\`.`,
  );
}

/** Processes that start at the same time agree on one key: only one of them creates the file. */
async function keyOfFile(path: string): Promise<string> {
  if (!existsSync(path)) createPrivateFile(path, randomBytes(32).toString('base64url'));
  const kept = (await readFile(path, 'utf8')).trim();
  if (kept.length >= minLength) return kept;
  throw new Error(`${path} has ${kept.length} characters, but needs at least ${minLength}. Remove it to get a new key.`);
}
