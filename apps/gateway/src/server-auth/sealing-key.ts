/**
 * Owns where the key of the credential store comes from: a variable of the environment, or a file that only the user can read.
 *
 * Invariants
 * 1. The file is not in the folder of the store: a copy of that folder is useless.
 * 2. A file that others can read is refused.
 */

import { randomBytes, scryptSync } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createPrivateFile } from '../plain/create-private-file.ts';
import { authError } from './auth-error.ts';
import { keyBytes } from './seal.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable with the key. */
const keyVariable = 'HOLDFAST_CREDENTIALS_KEY';
/** The variable with the path of the key file. */
const keyFileVariable = 'HOLDFAST_CREDENTIALS_KEY_FILE';

const minChars = 16;

/** Creates the file if there is none. Throws a sentence with the fix. */
export function readSealingKey(environment: Environment = process.env): Buffer {
  const given = environment[keyVariable];
  if (given !== undefined && given !== '') return keyOf(given, keyVariable);
  const path = keyFile(environment);
  if (path === undefined)
    throw authError(
      'AUTHORIZATION_FAILED',
      `The credential store has no key, and there is no home folder for a key file: set ${keyVariable}, for example to the output of openssl rand -base64 32.`,
    );
  return readKeyFile(path);
}

function keyFile(environment: Environment): string | undefined {
  const given = environment[keyFileVariable];
  if (given !== undefined && given !== '') return given;
  const home = environment['XDG_CONFIG_HOME'] || (environment['HOME'] === '' ? undefined : join(homedir(), '.config'));
  return home === undefined ? undefined : join(home, 'holdfast', 'credentials.key');
}

/** 32 bytes in base64 or hex are the key; everything else is a pass phrase. */
function keyOf(text: string, place: string): Buffer {
  const trimmed = text.trim();
  for (const encoding of ['base64', 'hex'] as const) {
    const bytes = Buffer.from(trimmed, encoding);
    if (bytes.length === keyBytes && isCanonical(trimmed, bytes, encoding)) return bytes;
  }
  if (trimmed.length < minChars)
    throw authError('AUTHORIZATION_FAILED', `${place} is shorter than ${minChars} characters: use the output of openssl rand -base64 32.`);
  return scryptSync(trimmed, 'holdfast credential store', keyBytes, { N: 2 ** 14 });
}

const isCanonical = (text: string, bytes: Buffer, encoding: 'base64' | 'hex'): boolean =>
  encoding === 'hex'
    ? bytes.toString('hex') === text.toLowerCase()
    : bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');

function readKeyFile(path: string): Buffer {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) createPrivateFile(path, `${randomBytes(keyBytes).toString('base64')}\n`);
  else if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw authError(
      'AUTHORIZATION_FAILED',
      `Others can read the key file ${path}: chmod 600 ${path}, and replace the key if it may be known.`,
    );
  return keyOf(readFileSync(path, 'utf8'), path);
}
