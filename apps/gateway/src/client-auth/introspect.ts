/** Owns asking an issuer about a token (RFC 7662). */
import { isRecord } from '@holdfast/core/internal/plain';
import type { Claims } from './claims.ts';
import { fetchJson } from './fetch-json.ts';
import type { Issuer } from './issuer.ts';

/** `undefined`: the token is not active, or of another issuer. Rejects if the issuer does not answer, or refuses the gateway. */
export async function introspect(token: string, issuer: Issuer): Promise<Claims | undefined> {
  const { introspection } = issuer.entry;
  if (introspection === undefined) return undefined;
  const { clientId, clientSecret } = introspection;
  const secret = process.env[clientSecret.env];
  if (secret === undefined || secret === '') throw new Error(`The environment variable ${clientSecret.env} is not set`);
  const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64');
  const answer = await fetchJson(await issuer.introspectionEndpoint(), {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
  });
  if (!isRecord(answer)) throw new Error(`${issuer.entry.issuer} did not answer the introspection request with a JSON object`);
  const { active, iss } = answer;
  return active === true && (iss === undefined || iss === issuer.entry.issuer) ? answer : undefined;
}

const formEncoded = (text: string): string => new URLSearchParams({ text }).toString().slice('text='.length);
