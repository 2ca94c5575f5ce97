/** Owns checking a signed token (JWT) with the keys of its issuer. `jose` is loaded by the first one. */
import type { JWTVerifyResult } from 'jose';
import type { Claims } from './claims.ts';
import type { Issuer } from './issuer.ts';

/** Types of access tokens: RFC 9068, and what servers without it send. An ID token has no business here; its audience is another one, too. */
const types: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt']);
/** Clocks differ. */
const clockToleranceS = 5;

/** `undefined`: invalid. Rejects if the keys are not known. */
export async function verifySignature(token: string, issuer: Issuer): Promise<Claims | undefined> {
  const { createLocalJWKSet, errors, jwtVerify } = await import('jose');
  const { entry } = issuer;
  const options = {
    issuer: entry.issuer,
    algorithms: [...entry.algorithms],
    requiredClaims: ['exp', 'aud'],
    clockTolerance: clockToleranceS,
  };
  const claimsOf = ({ payload, protectedHeader: { typ } }: JWTVerifyResult): Claims | undefined =>
    typ === undefined || types.has(typ.toLowerCase()) ? payload : undefined;
  for (const isStale of [false, true]) {
    const keys = createLocalJWKSet(await issuer.keys(isStale));
    try {
      return claimsOf(await jwtVerify(token, keys, options));
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) {
        for await (const key of error) {
          const found = await jwtVerify(token, key, options).catch(() => undefined);
          if (found !== undefined) return claimsOf(found);
        }
      }
      if (!(error instanceof errors.JWKSNoMatchingKey)) return undefined;
    }
  }
  return undefined;
}
