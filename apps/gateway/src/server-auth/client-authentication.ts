/**
 * Owns how the gateway proves who it is at the token endpoint of an authorization server.
 */
import type { McpServerAuth } from '@holdfast/manifest';
import { type AuthorizationServer, type ClientAuth, ClientSecretPost, None, PrivateKeyJwt } from 'oauth4webapi';
import { authError } from './auth-error.ts';
import { revealed } from './revealed.ts';
import type { KnownClient } from './vault.ts';

type Method = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

const methods: readonly Method[] = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'];
const configured: Readonly<Record<NonNullable<McpServerAuth['clientAuthentication']>, Method>> = {
  basic: 'client_secret_basic',
  post: 'client_secret_post',
  private_key_jwt: 'private_key_jwt',
  none: 'none',
};

/** Returns the method that a client with these credentials can use. */
export function authenticationMethod(
  server: Pick<AuthorizationServer, 'token_endpoint_auth_methods_supported'>,
  auth: Pick<McpServerAuth, 'clientAuthentication' | 'privateKey' | 'clientSecret'>,
): Method {
  if (auth.clientAuthentication !== undefined) return configured[auth.clientAuthentication];
  if (auth.privateKey !== undefined) return 'private_key_jwt';
  if (auth.clientSecret === undefined) return 'none';
  const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return supported.includes('client_secret_basic') || !supported.includes('client_secret_post')
    ? 'client_secret_basic'
    : 'client_secret_post';
}

/** Returns the method to ask for when the gateway registers itself. */
export function registrationMethod({ token_endpoint_auth_methods_supported: supported }: AuthorizationServer): Method {
  if (supported === undefined) return 'client_secret_basic';
  const wanted: readonly Method[] = ['none', 'client_secret_basic', 'client_secret_post'];
  return wanted.find((method) => supported.includes(method)) ?? 'none';
}

/** The secret of a registered client is its own; the one of the manifest is read now. */
export async function clientAuthentication(client: KnownClient, auth: McpServerAuth): Promise<ClientAuth> {
  const method = methods.find((each) => each === client.token_endpoint_auth_method) ?? 'none';
  if (method === 'none') return None();
  if (method === 'private_key_jwt') return privateKeyJwt(auth);
  const secret = client.client_secret ?? (auth.clientSecret === undefined ? undefined : revealed(auth.clientSecret));
  if (secret === undefined) throw authError('AUTHORIZATION_FAILED', `the client ${client.client_id} has no secret: set client_secret`);
  return method === 'client_secret_post' ? ClientSecretPost(secret) : basic(secret);
}

/**
 * The form encoding of RFC 6749 without the characters that need none: some servers compare the value without decoding it, and
 * `-`, `.`, `_` and `~` mean themselves either way.
 */
function basic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    const text = `${formEncoded(client.client_id)}:${formEncoded(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(text).toString('base64')}`);
  };
}

const formEncoded = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');

async function privateKeyJwt({ privateKey, algorithm = 'ES256' }: McpServerAuth): Promise<ClientAuth> {
  if (privateKey === undefined) throw authError('AUTHORIZATION_FAILED', 'private_key_jwt needs private_key');
  const pem = revealed(privateKey).replaceAll('\\n', '\n');
  const { importPKCS8 } = await import('jose');
  try {
    return PrivateKeyJwt(await importPKCS8(pem, algorithm));
  } catch {
    throw authError('AUTHORIZATION_FAILED', `private_key is no PKCS #8 key in PEM form for ${algorithm}`);
  }
}
