/**
 * Owns logging a person in on another device (RFC 8628): the person opens an address there and enters a code.
 *
 * Invariants
 * 1. The authorization server is asked no more often than it allows.
 * 2. A login that fails leaves the former one as it is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { authError, isAuthError } from './auth-error.ts';
import { clientFor } from './client-identity.ts';
import { discover } from './discovery.ts';
import { createDpopKey } from './dpop.ts';
import { type DoneLogin, keepLogin, loginLimitMs, type LoginParts, usesDpop } from './login.ts';
import { checkUrl } from './outbound.ts';
import { scopesFor } from './scopes.ts';
import { type ProtectedServer, resourceParameter } from './settings.ts';
import { exchangeDeviceCode, GrantRejected, requestDeviceCode, type TokenEndpoint } from './token-requests.ts';
import { unionOf } from './token.ts';
import type { Owner } from './vault.ts';

/** What a person does on the other device. */
export interface DeviceCode {
  /** To be opened there. */
  readonly url: string;
  /** To be entered there, or compared with the one that the page shows. */
  readonly userCode: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
}

export interface DeviceLoginOptions {
  readonly onCode: (code: DeviceCode) => void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** @default waits for this time */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

const defaultIntervalS = 5;
const slowDownS = 5;

export async function deviceLogin(
  server: ProtectedServer,
  owner: Owner,
  parts: LoginParts,
  { onCode, signal, wait = waitFor }: DeviceLoginOptions,
): Promise<DoneLogin> {
  const { vault, fetch, now = Date.now } = parts;
  const found = await discover(server, fetch, undefined);
  const { server: issuer } = found;
  if (issuer.device_authorization_endpoint === undefined)
    throw authError(
      'AUTHORIZATION_FAILED',
      `${issuer.issuer} has no login on another device: log in without --device. The address it prints can be opened anywhere.`,
    );
  const client = await clientFor(server, issuer, { vault, fetch, redirectUri: undefined });
  const scopes = unionOf(scopesFor(server, found, true), await vault.wanted(owner));
  const resource = resourceParameter(server, found.resource);
  const dpopKey = usesDpop(server, found) ? await createDpopKey() : undefined;
  const endpoint: TokenEndpoint = { server: issuer, client, auth: server.auth, fetch, dpopKey };
  const code = await requestDeviceCode({ ...endpoint, dpopKey: undefined }, { scope: scopes.join(' '), resource });
  const url = checkUrl(code.verification_uri_complete ?? code.verification_uri).href;
  onCode({ url, userCode: printable(code.user_code), issuer: issuer.issuer, scopes });
  const giveUpAt = performance.now() + Math.min(code.expires_in * 1_000, loginLimitMs);
  let intervalS = code.interval ?? defaultIntervalS;
  while (performance.now() < giveUpAt) {
    await wait(Math.max(1, intervalS) * 1_000, signal);
    const obtainedAt = now();
    const answer = await ask(endpoint, code.device_code, resource);
    if (answer === 'slow_down') intervalS += slowDownS;
    if (typeof answer === 'string') continue;
    const about = { issuer: issuer.issuer, resource, authorizationServer: issuer, client, requested: scopes, dpopKey };
    return keepLogin(vault, owner, about, answer, obtainedAt);
  }
  throw authError('AUTHORIZATION_FAILED', 'The code was not entered in time. Begin again.');
}

/** An authorization server that does not answer for a moment is asked again, less often. */
async function ask(...request: Parameters<typeof exchangeDeviceCode>): ReturnType<typeof exchangeDeviceCode> {
  try {
    return await exchangeDeviceCode(...request);
  } catch (error) {
    if (isAuthError(error, 'AUTHORIZATION_SERVER_DOWN')) return 'slow_down';
    throw error instanceof GrantRejected ? authError('AUTHORIZATION_FAILED', error.message) : error;
  }
}

/** A terminal must not interpret what a server sends. */
const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 64);

const waitFor = async (ms: number, signal: AbortSignal): Promise<void> => {
  await sleep(ms, undefined, { signal });
};
