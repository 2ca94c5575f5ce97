/**
 * Owns requests to the token endpoint of an authorization server: all grants, and revocation.
 *
 * Invariants
 * 1. A failure is one of three: the grant is no longer valid, the server has a temporary problem, or it refuses.
 * 2. Nothing of a response but its error code and a short description is in a message.
 */
import type { McpServerAuth } from '@holdfast/manifest';
import type { JWK } from 'jose';
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type AuthorizationServer,
  type ClientAuth,
  clientCredentialsGrantRequest,
  customFetch,
  deviceAuthorizationRequest,
  type DeviceAuthorizationResponse,
  deviceCodeGrantRequest,
  DPoP,
  type DPoPHandle,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  processAuthorizationCodeResponse,
  processClientCredentialsResponse,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
  processGenericTokenEndpointResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { authError, isAuthError } from './auth-error.ts';
import { clientAuthentication } from './client-authentication.ts';
import { dpopKeyPair } from './dpop.ts';
import type { Outbound } from './outbound.ts';
import type { KnownClient } from './vault.ts';

/** The grant was revoked, expired or used already: it is not tried again. */
export class GrantRejected extends Error {
  override readonly name: string = 'GrantRejected';
}

export interface TokenEndpoint {
  readonly server: AuthorizationServer;
  readonly client: KnownClient;
  readonly auth: McpServerAuth;
  readonly fetch: Outbound;
  /** The key that tokens are bound to. */
  readonly dpopKey?: unknown;
}

interface Options {
  readonly [customFetch]: typeof fetch;
  readonly [allowInsecureRequests]: boolean;
  readonly additionalParameters?: Record<string, string>;
  readonly DPoP?: DPoPHandle;
}

type Request = (authentication: ClientAuth, options: Options) => Promise<Response>;
type Process<Result> = (response: Response) => Promise<Result>;

/** Exchanges the code of a validated response of the authorization endpoint. */
export function exchangeCode(
  endpoint: TokenEndpoint,
  {
    callback,
    redirectUri,
    verifier,
    resource,
  }: { callback: URLSearchParams; redirectUri: string; verifier: string; resource: string | undefined },
): Promise<TokenEndpointResponse> {
  const { server, client } = endpoint;
  return send(
    endpoint,
    parametersOf({ resource }),
    (authentication, options) => authorizationCodeGrantRequest(server, client, authentication, callback, redirectUri, verifier, options),
    (response) => processAuthorizationCodeResponse(server, client, response),
  );
}

export function refresh(endpoint: TokenEndpoint, refreshToken: string, resource: string | undefined): Promise<TokenEndpointResponse> {
  const { server, client } = endpoint;
  return send(
    endpoint,
    parametersOf({ resource }),
    (authentication, options) => refreshTokenGrantRequest(server, client, authentication, refreshToken, options),
    (response) => processRefreshTokenResponse(server, client, response),
  );
}

export function clientCredentials(endpoint: TokenEndpoint, parameters: Parameters): Promise<TokenEndpointResponse> {
  const { server, client } = endpoint;
  return send(
    endpoint,
    {},
    (authentication, options) => clientCredentialsGrantRequest(server, client, authentication, parametersOf(parameters), options),
    (response) => processClientCredentialsResponse(server, client, response),
  );
}

/** Asks for a code that a person enters on another device (RFC 8628). */
export function requestDeviceCode(endpoint: TokenEndpoint, parameters: Parameters): Promise<DeviceAuthorizationResponse> {
  const { server, client } = endpoint;
  return send(
    endpoint,
    {},
    (authentication, options) => deviceAuthorizationRequest(server, client, authentication, parametersOf(parameters), options),
    (response) => processDeviceAuthorizationResponse(server, client, response),
  );
}

/** The person has not entered the code yet. */
export type DeviceWait = 'authorization_pending' | 'slow_down';

const isDeviceWait = (code: unknown): code is DeviceWait => code === 'authorization_pending' || code === 'slow_down';

/** Exchanges the code of a device, if the person has entered it. */
export function exchangeDeviceCode(
  endpoint: TokenEndpoint,
  deviceCode: string,
  resource: string | undefined,
): Promise<TokenEndpointResponse | DeviceWait> {
  const { server, client } = endpoint;
  return send<TokenEndpointResponse | DeviceWait>(
    endpoint,
    parametersOf({ resource }),
    (authentication, options) => deviceCodeGrantRequest(server, client, authentication, deviceCode, options),
    (response) =>
      processDeviceCodeResponse(server, client, response).catch((error: unknown) => {
        const { error: code } = error as { readonly error?: unknown };
        if (isDeviceWait(code)) return code;
        throw error;
      }),
  );
}

export const grants = {
  jwtBearer: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  tokenExchange: 'urn:ietf:params:oauth:grant-type:token-exchange',
} as const;

/** RFC 7523 and RFC 8693. */
export function otherGrant(endpoint: TokenEndpoint, grant: string, parameters: Parameters): Promise<TokenEndpointResponse> {
  const { server, client } = endpoint;
  return send(
    endpoint,
    {},
    (authentication, options) => genericTokenEndpointRequest(server, client, authentication, grant, parametersOf(parameters), options),
    // The type of an ID-JAG is `N_A`: it is no access token.
    (response) => processGenericTokenEndpointResponse(server, client, response, { recognizedTokenTypes: { n_a: () => {} } }),
  );
}

type Parameters = Readonly<Record<string, string | undefined>>;

function parametersOf(parameters: Parameters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  );
}

/** Never rejects: a token that cannot be revoked expires. Resolves to whether it was revoked. */
export async function revoke(endpoint: TokenEndpoint, token: string): Promise<boolean> {
  const { server, client, auth, fetch } = endpoint;
  if (server.revocation_endpoint === undefined) return false;
  try {
    const options = optionsOf(fetch, server.revocation_endpoint);
    const answer = await revocationRequest(server, client, await clientAuthentication(client, auth), token, options);
    return answer.status === 200;
  } catch {
    return false;
  }
}

async function send<Result>(
  endpoint: TokenEndpoint,
  additional: Record<string, string>,
  request: Request,
  process: Process<Result>,
): Promise<Result> {
  const { server, client, auth, fetch, dpopKey } = endpoint;
  if (server.token_endpoint === undefined) throw authError('AUTHORIZATION_FAILED', `${server.issuer} has no token endpoint`);
  const handle = dpopKey === undefined ? undefined : DPoP({}, await dpopKeyPair(dpopKey as JWK));
  const authentication = await clientAuthentication(client, auth);
  const options: Options = {
    ...optionsOf(fetch, server.token_endpoint),
    additionalParameters: additional,
    ...(handle === undefined ? {} : { DPoP: handle }),
  };
  for (let isAgain = false; ; isAgain = true) {
    const response = await request(authentication, options);
    if (response.status >= 500 || response.status === 429)
      throw authError('AUTHORIZATION_SERVER_DOWN', `${server.issuer} answered with HTTP ${response.status}`);
    try {
      return await process(response);
    } catch (error) {
      if (!isAgain && isDPoPNonceError(error)) continue;
      throw tokenError(server.issuer, error);
    }
  }
}

function optionsOf(outbound: Outbound, endpoint: string): Options {
  const send = (url: string, init: RequestInit): Promise<Response> =>
    outbound(url, {
      method: init.method,
      headers: Object.fromEntries(new Headers(init.headers)),
      // The library sends forms.
      body: init.body instanceof URLSearchParams ? init.body.toString() : undefined,
      signal: init.signal ?? undefined,
    });
  // `outbound` has checked that http is used on this machine only.
  return { [customFetch]: send as typeof fetch, [allowInsecureRequests]: endpoint.startsWith('http:') };
}

const temporary: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);

function tokenError(issuer: string, error: unknown): Error {
  if (isAuthError(error)) return error;
  const { error: code, error_description: description } = error as { readonly error?: unknown; readonly error_description?: unknown };
  if (typeof code !== 'string') {
    const text = error instanceof Error ? error.message : String(error);
    return authError('AUTHORIZATION_FAILED', `the answer of ${issuer} is not valid: ${text.slice(0, 200)}`);
  }
  const told = `${code.slice(0, 60)}${typeof description === 'string' ? ` (${description.slice(0, 200)})` : ''}`;
  if (temporary.has(code)) return authError('AUTHORIZATION_SERVER_DOWN', `${issuer} is not available: ${told}`);
  if (code === 'invalid_grant') return new GrantRejected(`${issuer} does not accept the grant: ${told}`);
  return authError('AUTHORIZATION_FAILED', `${issuer} gave no token: ${told}`);
}
