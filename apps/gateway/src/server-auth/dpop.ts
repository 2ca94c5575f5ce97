/**
 * Owns keys that tokens are bound to, and the proof of each request (RFC 9449). `jose` is loaded for the first of them.
 */
import { hash, randomUUID, type webcrypto } from 'node:crypto';
import type { JWK } from 'jose';
import { generateKeyPair } from 'oauth4webapi';

const algorithm = 'ES256';

export async function createDpopKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return (await import('jose')).exportJWK(privateKey);
}

const publicPart = ({ kty, crv, x, y }: JWK): JWK => ({ kty, crv, x, y }) as JWK;

export async function dpopKeyPair(jwk: JWK): Promise<webcrypto.CryptoKeyPair> {
  const { importJWK } = await import('jose');
  const [privateKey, publicKey] = await Promise.all([
    importJWK(jwk, algorithm),
    importJWK(publicPart(jwk), algorithm, { extractable: true }),
  ]);
  return { privateKey, publicKey } as webcrypto.CryptoKeyPair;
}

export interface Proof {
  readonly method: string;
  readonly url: URL;
  readonly accessToken: string;
  readonly nonce: string | undefined;
}

export async function dpopProof(jwk: JWK, { method, url, accessToken, nonce }: Proof): Promise<string> {
  const { importJWK, SignJWT } = await import('jose');
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: `${url.origin}${url.pathname}`,
    ath: hash('sha256', accessToken, 'base64url'),
    ...(nonce === undefined ? {} : { nonce }),
  };
  return new SignJWT(claims)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: algorithm, jwk: publicPart(jwk) })
    .setIssuedAt()
    .sign(await importJWK(jwk, algorithm));
}
