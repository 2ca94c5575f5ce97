/**
 * Owns who a credential belongs to.
 *
 * Invariants
 * 1. How long a comparison takes says nothing of a secret: hashes of equal length are compared, all of them, always.
 * 2. A secret is kept as its hash only.
 * 3. Anyone who has a name here may act as an operator: with tokens everybody who is let in, without them anyone who brings the operator's.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AccessToken } from './options.ts';

/** Headers that carry a credential, each with the word before it. A handler sees none of them. */
export const credentialHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
]);

export interface Tokens {
  /** Nobody is let in without one. */
  readonly areRequired: boolean;
  /** The name of the token that a request brings; `undefined` where it brings none that is known. */
  nameFor(headers: IncomingHttpHeaders, isModelProxy: boolean): string | undefined;
}

/** The name of the one that brings the operator's token. */
const operatorName = 'operator';

/** `operator`: the operator's secret, which counts where there are no tokens. */
export function createTokens(tokens: readonly AccessToken[], operator?: string): Tokens {
  const salt = randomBytes(32).toString('hex');
  const salted = (secret: string): Buffer => hash('sha256', salt + secret, 'buffer');
  const all = tokens.length > 0 || operator === undefined ? tokens : [{ name: operatorName, secret: operator }];
  const known = all.map(({ name, secret }, index) => {
    if (secret === '') throw new TypeError(`tokens[${index}].secret of "${name}" is empty: give the token a value, or leave it out`);
    return { name, hash: salted(secret) };
  });
  return {
    areRequired: tokens.length > 0,
    nameFor(headers, isModelProxy): string | undefined {
      const secret = bearerOf(headers.authorization) ?? (isModelProxy ? apiKeyOf(headers) : undefined);
      if (secret === undefined) return undefined;
      const given = salted(secret);
      let name: string | undefined;
      for (const token of known) if (timingSafeEqual(given, token.hash)) name = token.name;
      return name;
    },
  };
}

const bearerOf = (authorization: string | undefined): string | undefined => /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];

/** Where the clients of the model providers put their key. */
function apiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['api-key'];
  return typeof key === 'string' ? key : undefined;
}
