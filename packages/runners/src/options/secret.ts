/**
 * Owns values of requests and environments: literal, or read from an environment variable at each call, so that the configuration
 * contains no secret and a rotated secret is used at once.
 */
import { type Redactor, createRedactor } from '@holdfast/core';
import { runnerError } from '../runner-error.ts';
import { isRecord } from '@holdfast/core/internal/plain';
import { misuse, onlyFields, text } from './fields.ts';

/** A reference to an environment variable of this process, read at each call. */
export interface SecretReference {
  /** Name of the environment variable. */
  readonly env: string;
  /** Prefix of the value, such as `'Bearer '`. @default '' */
  readonly prefix?: string;
}

/** A literal text or a secret from the environment. */
export type TextOrSecret = string | SecretReference;

export function isSecretReference(value: unknown): value is SecretReference {
  return isRecord(value) && typeof value['env'] === 'string';
}

/** Reads the variable. Rejects the call with `SECRET_MISSING` if it is not set. */
export function reveal(value: TextOrSecret): string {
  if (typeof value === 'string') return value;
  const secret = process.env[value.env];
  if (secret === undefined || secret === '')
    throw runnerError('SECRET_MISSING', `The environment variable ${value.env} is not set: set it before starting the process.`);
  return `${value.prefix ?? ''}${secret}`;
}

/** Redacts a string: texts that look like secrets, and the values of these references. */
export function secretRedactor(values: Readonly<Record<string, TextOrSecret>>): Redactor {
  const names = Object.values(values).flatMap((value) => (isSecretReference(value) ? [value.env] : []));
  return createRedactor({ secrets: names.map((name) => process.env[name] ?? '') });
}

/** Checks a record of texts and secrets at construction. */
export function textsOrSecrets(field: string, value: unknown): Readonly<Record<string, TextOrSecret>> {
  if (value === undefined) return {};
  if (!isRecord(value)) throw misuse(field, value, 'give an object of names and strings');
  for (const [name, entry] of Object.entries(value)) checkTextOrSecret(`${field}.${name}`, entry);
  return { ...(value as Readonly<Record<string, TextOrSecret>>) };
}

export function checkTextOrSecret(field: string, value: unknown): void {
  if (typeof value === 'string' && !value.includes('\0')) return;
  if (!isSecretReference(value)) throw misuse(field, value, "give a string or { env: 'NAME_OF_A_VARIABLE' }");
  onlyFields(field, value, ['env', 'prefix']);
  text(`${field}.env`, value.env);
  if (value.prefix !== undefined && typeof value.prefix !== 'string') throw misuse(`${field}.prefix`, value.prefix, 'give a string');
}
