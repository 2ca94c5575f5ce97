import * as jose from 'jose';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['jose'];

const key = new TextEncoder().encode('a secret of at least thirty-two bytes');
const sign = (claims, expires = '1h') => new jose.SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setExpirationTime(expires).sign(key);
const denied = { label: label('permanent', 'auth', false) };

export const cases = [
  c('expired', 'the token has expired', async () => jose.jwtVerify(await sign({}, Math.floor(Date.now() / 1000) - 60), key), denied),
  c('bad-signature', 'another key', async () => jose.jwtVerify(await sign({}), new TextEncoder().encode('another secret of thirty-two bytes!')), denied),
  c('wrong-audience', 'another audience', async () => jose.jwtVerify(await sign({ aud: 'a' }), key, { audience: 'b' }), { label: label('permanent', 'auth', false, { also: ['permission', 'invalid_input'] }) }),
  c('malformed', 'not a token', () => jose.jwtVerify('nonsense', key), { label: label('permanent', 'auth', false, { also: ['invalid_input'] }) }),
  c('jwks-timeout', 'the key set does not answer', async (w) => jose.jwtVerify(await sign({}), jose.createRemoteJWKSet(new URL(w.fault('silent')), { timeoutDuration: 200 })), { label: label('transient', 'timeout', true, { unscored: ['ambiguous'] }) }),
  c('jwks-refused', 'the key set cannot be reached', async (w) => jose.jwtVerify(await sign({}), jose.createRemoteJWKSet(new URL(w.refused))), { label: label('transient', 'network', false) }),
  c('jwks-no-key', 'no key in the set matches', async (w) => { const { privateKey } = await jose.generateKeyPair('RS256'); const jwt = await new jose.SignJWT({}).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(privateKey); return jose.jwtVerify(jwt, jose.createRemoteJWKSet(new URL(w.canned({ status: 200, body: { keys: [] } })))); }, { label: label('permanent', 'auth', false, { also: ['not_found', 'invalid_input'] }) }),
];
