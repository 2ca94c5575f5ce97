/**
 * Owns logging a person in at a server: the address to open, and what comes back from there.
 *
 * Invariants
 * 1. Nothing of an answer is used before its `state` is found and its `iss` is right (RFC 9207). A `state` is used once, and for a short time.
 * 2. PKCE with S256, always. A server that does not announce it is refused.
 * 3. A login that fails leaves the former one as it is.
 * 4. A login that was begun in a browser is completed in the same browser only.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  getValidatedIdTokenClaims,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { authError, isAuthError } from './auth-error.ts';
import { clientFor } from './client-identity.ts';
import { discover, type Discovery } from './discovery.ts';
import { createDpopKey } from './dpop.ts';
import { checkUrl, type Outbound } from './outbound.ts';
import { scopesFor } from './scopes.ts';
import { type ProtectedServer, resourceParameter } from './settings.ts';
import { exchangeCode, GrantRejected, revoke } from './token-requests.ts';
import { grantedScopes, unionOf } from './token.ts';
import type { Attempt, Credential, Owner, Vault } from './vault.ts';

export interface LoginParts {
  readonly vault: Vault;
  readonly fetch: Outbound;
  readonly now?: (() => number) | undefined;
}

/** Where a login begins. */
export interface LoginOrigin {
  readonly redirectUri: string;
  /** The secret of the browser; absent in a terminal. */
  readonly browser?: string | undefined;
  /** The address of the gateway's own client metadata document, if it serves one. */
  readonly clientDocument?: string | undefined;
}

/** A login that waits for the person. */
export interface PendingLogin {
  /** To be opened in a browser. */
  readonly url: string;
  readonly state: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
}

/** A login that has succeeded. */
export interface DoneLogin {
  readonly owner: Owner;
  readonly issuer: string;
  /** As granted, or as requested if the server does not tell. */
  readonly scopes: readonly string[];
  /** Whether it can be renewed without the person. */
  readonly isRenewable: boolean;
}

export const loginLimitMs: number = 10 * 60_000;

export async function beginLogin(server: ProtectedServer, owner: Owner, origin: LoginOrigin, parts: LoginParts): Promise<PendingLogin> {
  const { vault, fetch } = parts;
  const { redirectUri, browser, clientDocument } = origin;
  const found = await discover(server, fetch, undefined);
  const { server: issuer } = found;
  if (issuer.authorization_endpoint === undefined || issuer.token_endpoint === undefined)
    throw authError('AUTHORIZATION_FAILED', `${issuer.issuer} has no login page: use auth: client_credentials or token_exchange`);
  if (issuer.code_challenge_methods_supported?.includes('S256') !== true)
    throw authError('AUTHORIZATION_FAILED', `${issuer.issuer} does not announce PKCE with S256, so a login there is not safe.`);
  const client = await clientFor(server, issuer, { vault, fetch, redirectUri, clientDocument });
  const scopes = unionOf(scopesFor(server, found, true), await vault.wanted(owner));
  const verifier = generateRandomCodeVerifier();
  const state = `${browser === undefined ? '' : browserMark}${randomBytes(32).toString('base64url')}`;
  const attempt: Attempt = {
    owner,
    issuer: issuer.issuer,
    resource: resourceParameter(server, found.resource),
    authorizationServer: issuer,
    client,
    verifier,
    redirectUri,
    scopes,
    dpop: usesDpop(server, found),
    browser: browser === undefined ? undefined : hashOf(browser),
  };
  await vault.begin(state, attempt, loginLimitMs);
  const url = checkUrl(issuer.authorization_endpoint);
  const parameters: Readonly<Record<string, string | undefined>> = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: attempt.resource,
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
    // OpenID Connect gives no refresh token without it.
    prompt: scopes.includes('offline_access') ? 'consent' : undefined,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return { url: url.href, state, issuer: issuer.issuer, scopes };
}

/** A key-bound token where the manifest or the server wants one, and the issuer can bind it. */
export function usesDpop({ auth }: ProtectedServer, { server, needsDpop, challenge }: Discovery): boolean {
  const isPossible = server.dpop_signing_alg_values_supported?.includes('ES256') === true;
  return isPossible && (auth.dpop ?? (needsDpop || challenge?.scheme === 'dpop'));
}

/** The beginning of a `state` of a browser: one of a terminal is not used up by a browser that comes with it, nor the reverse. */
const browserMark = 'b.';

export const isStateOfBrowser = (state: string): boolean => state.startsWith(browserMark);

const hashOf = (secret: string): string => hash('sha256', secret, 'base64url');

/** Ends the attempt, whether it can be used or not. */
async function takeAttempt(callback: URL, browser: string | undefined, vault: Vault): Promise<Attempt> {
  const states = callback.searchParams.getAll('state');
  const [state = ''] = states;
  const isRight = states.length === 1 && isStateOfBrowser(state) === (browser !== undefined);
  const attempt = isRight ? await vault.finish(state) : undefined;
  if (attempt === undefined)
    throw authError('AUTHORIZATION_FAILED', 'This login is unknown, was used already, or took too long. Begin again.');
  if (browser !== undefined && !isSame(attempt.browser ?? '', hashOf(browser)))
    throw authError('AUTHORIZATION_FAILED', 'This login was begun in another browser. Begin it in this one.');
  // The addresses of servers differ, so that the answer of one issuer cannot pass as that of another.
  if (browser !== undefined && new URL(attempt.redirectUri).pathname !== callback.pathname)
    throw authError('AUTHORIZATION_FAILED', 'The answer of the login came to the address of another server.');
  return attempt;
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** `callback`: the whole address that the browser was sent to. `browser`: the secret of the browser, if it came to the gateway. */
export async function completeLogin(
  callback: URL,
  serverOf: (owner: Owner) => ProtectedServer | undefined,
  parts: LoginParts,
  browser?: string,
): Promise<DoneLogin> {
  const { vault, fetch, now = Date.now } = parts;
  const attempt = await takeAttempt(callback, browser, vault);
  const { owner, authorizationServer, client, redirectUri, verifier, scopes, resource } = attempt;
  const server = serverOf(owner);
  if (server === undefined || server.resource !== owner.resource)
    throw authError('AUTHORIZATION_FAILED', `The manifest has no server '${owner.server}' with this login any more.`);
  const dpopKey = attempt.dpop ? await createDpopKey() : undefined;
  const obtainedAt = now();
  const { auth } = server;
  const answer = await exchangeCode(
    { server: authorizationServer, client, auth, fetch, dpopKey },
    { callback: validated(attempt, callback), redirectUri, verifier, resource },
  ).catch(async (error: unknown) => {
    // The issuer has forgotten the gateway: the next login registers it again.
    if (isAuthError(error, 'AUTHORIZATION_FAILED') && error.message.includes('invalid_client'))
      await vault.forgetClient(attempt.issuer, redirectUri);
    throw error instanceof GrantRejected ? authError('AUTHORIZATION_FAILED', error.message) : error;
  });
  const { issuer } = attempt;
  return keepLogin(vault, owner, { issuer, resource, authorizationServer, client, requested: scopes, dpopKey }, answer, obtainedAt);
}

/** Stores a login in place of the former one. */
export async function keepLogin(
  vault: Vault,
  owner: Owner,
  about: Pick<Credential, 'issuer' | 'resource' | 'authorizationServer' | 'client' | 'requested' | 'dpopKey'>,
  answer: TokenEndpointResponse,
  obtainedAt: number,
): Promise<DoneLogin> {
  await vault.keep(owner, { ...about, ...tokensOf(answer, obtainedAt), account: accountOf(answer) });
  return {
    owner,
    issuer: about.issuer,
    scopes: grantedScopes(answer) ?? about.requested,
    isRenewable: answer.refresh_token !== undefined,
  };
}

/** How the issuer calls the person, if it tells. */
function accountOf(answer: TokenEndpointResponse): string | undefined {
  const claims: Readonly<Record<string, unknown>> = getValidatedIdTokenClaims(answer) ?? {};
  const found = [claims['email'], claims['preferred_username'], claims['sub']].find((claim) => typeof claim === 'string' && claim !== '');
  return typeof found === 'string' ? found.slice(0, 200) : undefined;
}

function tokensOf(
  answer: TokenEndpointResponse,
  obtainedAt: number,
): {
  readonly accessToken: string;
  readonly tokenType: 'bearer' | 'dpop';
  readonly refreshToken: string | undefined;
  readonly obtainedAt: number;
  readonly expiresAt: number | undefined;
  readonly granted: readonly string[] | undefined;
} {
  return {
    accessToken: answer.access_token,
    tokenType: answer.token_type === 'dpop' ? 'dpop' : 'bearer',
    refreshToken: answer.refresh_token,
    obtainedAt,
    expiresAt: answer.expires_in === undefined ? undefined : obtainedAt + answer.expires_in * 1_000,
    granted: grantedScopes(answer),
  };
}

function validated({ authorizationServer, client }: Attempt, callback: URL): URLSearchParams {
  try {
    return validateAuthResponse(authorizationServer, client, callback.searchParams, callback.searchParams.get('state') ?? '');
  } catch (error) {
    const { error: code, error_description: description } = error as { readonly error?: unknown; readonly error_description?: unknown };
    if (typeof code !== 'string')
      throw authError('AUTHORIZATION_FAILED', 'The answer to the login does not come from the server that received the request.');
    const told = typeof description === 'string' ? `${code} (${description})` : code;
    throw authError('AUTHORIZATION_FAILED', `The login was not granted: ${told.slice(0, 200)}`);
  }
}

export interface LogoutResult {
  /** There was a login. */
  readonly wasKnown: boolean;
  /** The issuer has revoked its tokens. */
  readonly isRevoked: boolean;
}

/** The login is forgotten, also if the issuer cannot revoke it. */
export async function logout(server: ProtectedServer, owner: Owner, { vault, fetch }: LoginParts): Promise<LogoutResult> {
  const stored = await vault.credential(owner).catch(() => undefined);
  const wasKnown = await vault.forget(owner);
  if (stored === undefined) return { wasKnown, isRevoked: false };
  const { authorizationServer, client, refreshToken, accessToken } = stored.credential;
  const endpoint = { server: authorizationServer, client, auth: server.auth, fetch };
  const revoked = refreshToken === undefined || (await revoke(endpoint, refreshToken));
  return { wasKnown, isRevoked: (await revoke(endpoint, accessToken)) && revoked };
}
