/**
 * Owns which token a credential belongs to.
 *
 * Invariants
 * 1. The duration of a comparison reveals nothing about a secret: hashes of equal length are compared, always with all tokens.
 * 2. Only the hash of a secret is kept.
 * 3. The operator token is valid only if the manifest has no tokens and no logins.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AccessToken } from './options.ts';

/** Headers that carry credentials. A handler sees none of them. */
export const credentialHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
]);

export interface Tokens {
  /** Returns the name of a token; `undefined` for an unknown one. */
  nameOf(secret: string): string | undefined;
}

/** The principal of a request with the operator token. */
const operatorName = 'operator';
/** Of a token that other machines can try. */
export const minTokenLength = 16;

/** `operator` is the secret of the operator token, which is valid only if there are no tokens. */
export function createTokens(tokens: readonly AccessToken[], operator?: string): Tokens {
  const salt = randomBytes(32).toString('hex');
  const saltedHash = (secret: string): Buffer => hash('sha256', salt + secret, 'buffer');
  const all = tokens.length > 0 || operator === undefined ? tokens : [{ name: operatorName, secret: operator }];
  const known = all.map(({ name, secret }, index) => {
    if (secret === '') throw new TypeError(`tokens[${index}].secret of "${name}" is empty: set a value, or remove the token`);
    return { name, hash: saltedHash(secret) };
  });
  return {
    nameOf(secret) {
      const given = saltedHash(secret);
      let name: string | undefined;
      for (const token of known) if (timingSafeEqual(given, token.hash)) name = token.name;
      return name;
    },
  };
}

/** Returns the credential of a request; `undefined` without one. */
export const credentialOf = (headers: IncomingHttpHeaders, isModelProxy: boolean): string | undefined =>
  bearerOf(headers.authorization) ?? (isModelProxy ? apiKeyOf(headers) : undefined);

const bearerOf = (authorization: string | undefined): string | undefined => /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];

/** Returns the key from the headers that the SDKs of model providers use. */
function apiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['api-key'];
  return typeof key === 'string' ? key : undefined;
}
