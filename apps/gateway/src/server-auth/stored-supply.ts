/**
 * Owns the tokens of a login that is stored: reading it, and refreshing it once for all processes.
 *
 * Invariants
 * 1. A refresh token is sent by one process at a time, and only to the issuer that it is from.
 * 2. A refreshed credential is stored before it is used.
 * 3. A stored credential is never deleted or replaced because of a failure: it may be newer than the one that failed.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { authError, isAuthError } from './auth-error.ts';
import { discover } from './discovery.ts';
import type { Outbound } from './outbound.ts';
import { revealed } from './revealed.ts';
import type { ProtectedServer } from './settings.ts';
import { GrantRejected, refresh } from './token-requests.ts';
import { grantedScopes, lifetime, type Reason, type Token, type TokenSupply, unionOf } from './token.ts';
import type { Credential, Owner, StoredCredential, Vault } from './vault.ts';

export interface StoredSupplyOptions {
  readonly server: ProtectedServer;
  readonly owner: Owner;
  readonly vault: Vault;
  readonly fetch: Outbound;
  /** What to do, as a sentence. */
  readonly advice: (scopes?: readonly string[]) => string;
  readonly now?: (() => number) | undefined;
}

const pollMs = 200;
/** Longer than the lease of a process that has died. */
const maxWaitMs = 30_000;

export function storedSupply(options: StoredSupplyOptions): TokenSupply {
  const { vault, owner } = options;
  const holder = randomUUID();
  return {
    currentVersion: async () => (await vault.credential(owner))?.version,
    async renew(old, reason) {
      if (reason.kind === 'scopes') return stepUp(options, old, reason);
      const giveUpAt = performance.now() + maxWaitMs;
      for (;;) {
        const stored = await usable(options);
        if (stored.version !== old?.version && !isExpired(stored, options)) return tokenOf(stored);
        if (reason.kind === 'refused') await checkIssuer(options, stored, reason.header);
        const done = await vault.exclusively(owner, holder, () => refreshOnce(options, stored));
        if (done !== undefined) return done.result;
        if (performance.now() > giveUpAt)
          throw authError('AUTHORIZATION_SERVER_DOWN', 'Another process refreshes the login, and does not end.');
        await sleep(pollMs);
      }
    },
  };
}

const isExpired = ({ credential }: StoredCredential, { now = Date.now }: StoredSupplyOptions): boolean =>
  now() >= (credential.expiresAt ?? Infinity);

/** The stored credential, if it is for this server and this client. */
async function usable({ server, owner, vault, advice }: StoredSupplyOptions): Promise<StoredCredential> {
  const stored = await vault.credential(owner);
  if (stored === undefined) throw authError('LOGIN_REQUIRED', `MCP server '${server.name}' needs a login. ${advice()}`);
  const { credential } = stored;
  const { clientId, issuer } = server.auth;
  if (issuer !== undefined && issuer !== credential.issuer)
    throw authError('LOGIN_REQUIRED', `The login of '${server.name}' is from a different issuer than the one in the manifest. ${advice()}`);
  if (clientId !== undefined && revealed(clientId) !== credential.client.client_id)
    throw authError(
      'LOGIN_REQUIRED',
      `The login of '${server.name}' belongs to a different client than the one in the manifest. ${advice()}`,
    );
  return stored;
}

function tokenOf({ credential, version }: StoredCredential): Token {
  const { accessToken, tokenType, dpopKey, requested, obtainedAt, expiresAt } = credential;
  const life = expiresAt === undefined ? { expiresAt: Infinity, renewAt: Infinity } : lifetime(obtainedAt, expiresAt);
  // Without a refresh token nothing can be renewed before the end.
  const renewAt = credential.refreshToken === undefined ? Infinity : life.renewAt;
  return { accessToken, type: tokenType, dpopKey, requested, version, ...life, renewAt };
}

/** A server may have moved to another authorization server: that one must not get anything of the old one. */
async function checkIssuer(
  options: StoredSupplyOptions,
  { credential }: StoredCredential,
  header: string | string[] | undefined,
): Promise<void> {
  const { server, fetch, advice } = options;
  try {
    const found = await discover(server, fetch, { header });
    if (found.server.issuer === credential.issuer) return;
  } catch (error) {
    if (isAuthError(error, 'AUTHORIZATION_SERVER_DOWN')) return;
    throw error;
  }
  throw authError('LOGIN_REQUIRED', `The authorization server of '${server.name}' has changed. ${advice()}`);
}

async function refreshOnce(options: StoredSupplyOptions, seen: StoredCredential): Promise<Token> {
  const { server, owner, vault, advice, now = Date.now } = options;
  const stored = await usable(options);
  if (stored.version !== seen.version && !isExpired(stored, options)) return tokenOf(stored);
  const { credential } = stored;
  const lost = `The login of '${server.name}' has ended. ${advice()}`;
  if (credential.refreshToken === undefined) throw authError('LOGIN_REQUIRED', lost);
  const obtainedAt = now();
  try {
    const renewed = await refreshed(options, credential, credential.refreshToken, obtainedAt);
    const version = await vault.keep(owner, renewed, stored.version);
    // A login in the meantime is newer.
    return version === undefined ? tokenOf(await usable(options)) : tokenOf({ credential: renewed, version });
  } catch (error) {
    if (!(error instanceof GrantRejected)) throw error;
    const other = await vault.credential(owner);
    if (other !== undefined && other.version !== stored.version) return tokenOf(other);
    throw authError('LOGIN_REQUIRED', lost, error);
  }
}

async function refreshed(
  { server, fetch }: StoredSupplyOptions,
  credential: Credential,
  refreshToken: string,
  obtainedAt: number,
): Promise<Credential> {
  const { authorizationServer, client, dpopKey } = credential;
  const endpoint = { server: authorizationServer, client, auth: server.auth, fetch, dpopKey };
  const ask = (): ReturnType<typeof refresh> => refresh(endpoint, refreshToken, credential.resource);
  // The answer may have been lost. The server may accept the same token once more for a moment.
  const answer = await ask().catch((error: unknown) => {
    if (isAuthError(error, 'AUTHORIZATION_SERVER_DOWN') && error.cause !== undefined) return ask();
    throw error;
  });
  return {
    ...credential,
    accessToken: answer.access_token,
    tokenType: answer.token_type === 'dpop' ? 'dpop' : 'bearer',
    refreshToken: answer.refresh_token ?? refreshToken,
    obtainedAt,
    expiresAt: answer.expires_in === undefined ? undefined : obtainedAt + answer.expires_in * 1_000,
    granted: grantedScopes(answer) ?? credential.granted,
  };
}

/** A login is not possible here: the next one requests the scopes. */
async function stepUp(
  options: StoredSupplyOptions,
  old: Token | undefined,
  { challenge }: Extract<Reason, { kind: 'scopes' }>,
): Promise<Token> {
  const { server, owner, vault, advice } = options;
  const stored = await usable(options);
  if (stored.version !== old?.version) return tokenOf(stored);
  const { requested } = stored.credential;
  const missing = (challenge.scopes ?? []).filter((scope) => !requested.includes(scope));
  if (missing.length === 0)
    throw authError(
      'SCOPE_REFUSED',
      `MCP server '${server.name}' needs scopes that its login requested but did not get: ${(challenge.scopes ?? []).join(' ')}`,
    );
  await vault.want(owner, unionOf(requested, missing));
  throw authError(
    'LOGIN_REQUIRED',
    `MCP server '${server.name}' needs a login with more rights (${missing.join(' ')}). ${advice(missing)}`,
  );
}
