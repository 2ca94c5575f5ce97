/**
 * Owns a login from a terminal: the address to open, and the two ways back, a port of this machine and a pasted address.
 */
import { checkOptions } from '@holdfast/core/internal/plain';
import type { Manifest, McpServerEntry } from '@holdfast/manifest';
import { authError } from './auth-error.ts';
import type { DoneLogin } from './login.ts';
import { loginLimitMs } from './login.ts';
import { openLoopback } from './loopback.ts';
import { isLoopbackHost } from './outbound.ts';
import { createServerAuth, type ServerAuth } from './server-auth.ts';
import { gatewayPrincipal } from './vault.ts';

/** What a person has to do. */
export interface LoginLink {
  /** To be opened in a browser. */
  readonly url: string;
  /** The authorization server. */
  readonly issuer: string;
  /** The requested scopes. */
  readonly scopes: readonly string[];
  /** Where the browser is sent afterwards. Absent with `device`. */
  readonly redirectUrl?: string;
  /** With `device`: what the person enters there, or compares. */
  readonly userCode?: string;
}

/** Settings of a login from a terminal. */
export interface LogInOptions {
  /** Name of the server in the manifest. */
  readonly server: string;
  /** Whose login it is. @default the gateway's own, for all its clients */
  readonly principal?: string | undefined;
  /** The person opens the address on any device and enters a code (RFC 8628); no browser comes back to this machine. @default false */
  readonly device?: boolean | undefined;
  /** Called once, with the address to open. */
  readonly onLink: (link: LoginLink) => void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Addresses that the person has copied from the browser. @default none */
  readonly pasted?: AsyncIterable<string> | undefined;
  /** Called with a pasted text that is not the answer of this login. */
  readonly onRefused?: ((reason: string) => void) | undefined;
}

/** A login that has succeeded. */
export interface LoggedIn {
  /** The authorization server. */
  readonly issuer: string;
  /** Scopes as granted, or as requested if the server does not tell. */
  readonly scopes: readonly string[];
  /** Whether it can be renewed without the person. */
  readonly isRenewable: boolean;
}

/** Logs a person in at a server of the manifest. Rejects with a sentence that says why there is no login. */
export async function logIn(manifest: Manifest, options: LogInOptions): Promise<LoggedIn> {
  checkOptions(
    {
      server: 'string',
      principal: 'string',
      device: 'boolean',
      onLink: 'function',
      signal: 'object',
      pasted: 'object',
      onRefused: 'function',
    },
    options,
    'logIn',
    ['server', 'onLink', 'signal'],
  );
  const { server, principal = gatewayPrincipal, device = false, onLink, signal } = options;
  const entry = entryOf(manifest, server);
  const redirect = redirectOf(server, entry);
  const auth = createServerAuth(manifest);
  try {
    const { issuer, scopes, isRenewable } = device
      ? await auth.onDevice(server, entry, principal, { onCode: onLink, signal })
      : await waitForLogin(auth, { entry, redirect, principal }, options);
    return { issuer, scopes, isRenewable };
  } finally {
    await auth.close();
  }
}

/** Forgets a login, and has its tokens revoked if the authorization server can. */
export async function logOut(
  manifest: Manifest,
  { server, principal = gatewayPrincipal }: { readonly server: string; readonly principal?: string | undefined },
): Promise<{ readonly wasKnown: boolean; readonly isRevoked: boolean }> {
  const auth = createServerAuth(manifest);
  try {
    return await auth.logout(server, entryOf(manifest, server), principal);
  } finally {
    await auth.close();
  }
}

const defaultRedirectPort = 7341;

/** Where the browser is sent after a login. */
function redirectOf(name: string, entry: McpServerEntry): URL {
  const given = 'url' in entry ? entry.auth?.redirectUrl : undefined;
  return new URL(given ?? `http://127.0.0.1:${defaultRedirectPort}/oauth/callback/${encodeURIComponent(name)}`);
}

function entryOf({ mcpServers }: Manifest, name: string): McpServerEntry {
  const entry = Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined;
  if (entry !== undefined) return entry;
  const names = Object.keys(mcpServers).join(', ');
  throw authError('AUTHORIZATION_FAILED', `The manifest has no MCP server '${name}'. It has ${names === '' ? 'none' : names}.`);
}

interface Waiting {
  readonly entry: McpServerEntry;
  readonly redirect: URL;
  readonly principal: string;
}

async function waitForLogin(auth: ServerAuth, { entry, redirect, principal }: Waiting, options: LogInOptions): Promise<DoneLogin> {
  const { server, onLink, signal, pasted, onRefused = () => {} } = options;
  let resolve = (_login: DoneLogin): void => {};
  let reject = (_reason: unknown): void => {};
  const done = new Promise<DoneLogin>((...settle) => {
    [resolve, reject] = settle;
  });
  const take = async (callback: URL): Promise<string> => {
    resolve(await auth.complete(callback, (name) => (name === server ? entry : undefined)));
    return 'You can close this page.';
  };
  const isHere = redirect.protocol === 'http:' && isLoopbackHost(redirect.hostname);
  const loopback = isHere ? await openLoopback(redirect, take) : undefined;
  const timer = setTimeout(
    () => reject(authError('AUTHORIZATION_FAILED', 'The login was not completed within ten minutes.')),
    loginLimitMs,
  );
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const { url, issuer, scopes } = await auth.begin(server, entry, principal, { redirectUri: redirect.href });
    onLink({ url, issuer, scopes, redirectUrl: redirect.href });
    if (pasted !== undefined) void readPasted(pasted, redirect, take, onRefused);
    return await done;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    await loopback?.close();
  }
}

async function readPasted(
  pasted: AsyncIterable<string>,
  redirect: URL,
  take: (callback: URL) => Promise<string>,
  onRefused: (reason: string) => void,
): Promise<void> {
  for await (const line of pasted) {
    const text = line.trim();
    if (text === '') continue;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || url.origin !== redirect.origin || url.pathname !== redirect.pathname)
      onRefused(`That is not an address that begins with ${redirect.href}`);
    else await take(url).catch((error: unknown) => onRefused(error instanceof Error ? error.message : String(error)));
  }
}
