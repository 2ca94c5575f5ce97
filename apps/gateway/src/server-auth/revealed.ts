/** Owns reading a value of the manifest that may be in the environment. */
import type { TextOrSecret } from '@holdfast/runners';
import { authError } from './auth-error.ts';

export function revealed(value: TextOrSecret): string {
  if (typeof value === 'string') return value;
  const secret = process.env[value.env];
  if (secret === undefined || secret === '')
    throw authError('AUTHORIZATION_FAILED', `The environment variable ${value.env} is not set: set it before starting the process.`);
  return `${value.prefix ?? ''}${secret}`;
}
