/**
 * Owns the logins of a gateway at its servers: one holder of tokens per server and principal, and the place where they are stored.
 *
 * Invariants
 * 1. A token of one principal is never used for another, and never for another server.
 * 2. Nothing is opened before a server with `auth` is used.
 */
import { dirname, join } from 'node:path';
import type { AuthorizerOf, Manifest, McpServerEntry } from '@holdfast/manifest';
import { postgresOptions } from '@holdfast/manifest';
import type { RequestAuthorizer } from '@holdfast/mcp-wire/client';
import type { SealedRows } from '@holdfast/core/store';
import { once } from '../plain/once.ts';
import { ownerOf } from '../access/owner.ts';
import { authError, type NeededLogin } from './auth-error.ts';
import {
  beginLogin,
  completeLogin,
  type DoneLogin,
  type LoginOrigin,
  type LoginParts,
  logout,
  type LogoutResult,
  type PendingLogin,
} from './login.ts';
import { deviceLogin, type DeviceLoginOptions } from './device-login.ts';
import { machineSupply } from './machine-supply.ts';
import { type Outbound, type OutboundClient, outboundClient } from './outbound.ts';
import { createSeal, type Seal } from './seal.ts';
import { readSealingKey } from './sealing-key.ts';
import { addressesOf, isProtected, type ProtectedServer, protectedServer } from './settings.ts';
import { storedSupply } from './stored-supply.ts';
import { type MissingLogin, TokenHolder } from './token-holder.ts';
import { createVault, gatewayPrincipal, type Owner, type Vault, type VaultPlace } from './vault.ts';

/** Who calls a server. */
export interface ServerCaller {
  /** `''`: the gateway itself, and all clients of a server that does not keep them apart. */
  readonly principal: string;
  /** Its full name, for messages. @default `principal` */
  readonly name?: string | undefined;
  /** Returns the token that the caller has presented to the gateway, as input for an exchange and nothing else. */
  readonly subjectToken?: (() => string | undefined) | undefined;
}

export const gatewayCaller: ServerCaller = { principal: gatewayPrincipal };

/** A login that someone has to do. */
export interface RequiredLogin extends MissingLogin {
  readonly server: string;
  readonly principal: string;
  /** Full name of the principal. */
  readonly name: string;
}

export interface ServerAuth {
  /** The authorizer of requests of one caller; `undefined` for a server without `auth`. Throws if the entry cannot be used. */
  readonly authorizer: (name: string, entry: McpServerEntry, caller?: ServerCaller) => RequestAuthorizer | undefined;
  /** Logins that are missing now, as far as requests have shown. */
  readonly required: () => readonly RequiredLogin[];
  readonly begin: (name: string, entry: McpServerEntry, principal: string, origin: LoginOrigin) => Promise<PendingLogin>;
  /** `browser`: the secret of the browser in which it was begun. */
  readonly complete: (callback: URL, entryOf: (name: string) => McpServerEntry | undefined, browser?: string) => Promise<DoneLogin>;
  /** Logs a person in on another device. */
  readonly onDevice: (name: string, entry: McpServerEntry, principal: string, options: DeviceLoginOptions) => Promise<DoneLogin>;
  /** The stored logins of a server, without their tokens. */
  readonly stored: (name: string, entry: McpServerEntry) => Promise<readonly StoredLogin[]>;
  /** Resolves to the version of a stored login; `undefined` if there is none. */
  readonly version: (name: string, entry: McpServerEntry, principal: string) => Promise<string | undefined>;
  readonly logout: (name: string, entry: McpServerEntry, principal: string) => Promise<LogoutResult>;
  readonly close: () => Promise<void>;
}

export interface ServerAuthOptions {
  /** @default the store of the manifest */
  readonly rows?: (() => Promise<SealedRows>) | undefined;
  /** @default `readSealingKey` */
  readonly key?: (() => Buffer) | undefined;
  /** Called when a login is missing, or no longer. */
  readonly onChange?: ((server: string) => void) | undefined;
  /** What a person has to do, as a sentence. */
  readonly advice?: ((server: string, principal: string) => string) | undefined;
  readonly now?: (() => number) | undefined;
  /** Time limit of a request to an authorization server. @default 10000 */
  readonly timeoutMs?: number | undefined;
}

/** Logins in memory; the one not used for longest is dropped. */
const maxHolders = 2_000;

export function createServerAuth(manifest: Pick<Manifest, 'store' | 'folder'>, options: ServerAuthOptions = {}): ServerAuth {
  const { now, key = readSealingKey, rows = () => sealedRows(manifest) } = options;
  const clients = outboundClients(options.timeoutMs);
  let made: Seal | undefined;
  const seal = (): Seal => (made ??= createSeal(key()));
  const place = once(async (): Promise<VaultPlace> => ({ seal, rows: await rows() }));
  const vault = createVault(place.get);
  const partsOf = (server: ProtectedServer): LoginParts => ({ vault, fetch: clients.of(server).fetch, now });
  const { authorizer, required } = tokenHolders(partsOf, options);
  return {
    authorizer,
    required,
    async begin(name, entry, principal, origin) {
      const server = loginServer(name, entry);
      // A key that cannot be used is reported before a client is registered.
      seal();
      return beginLogin(server, loginOwner(server, principal), origin, partsOf(server));
    },
    async complete(callback, entryOf, browser) {
      let found: ProtectedServer | undefined;
      const serverOf = ({ server: name }: Owner): ProtectedServer | undefined => {
        const entry = entryOf(name);
        found = entry !== undefined && isProtected(entry) ? protectedServer(name, entry) : undefined;
        return found;
      };
      const fetch: Outbound = (url, init) => (found === undefined ? unreachable() : clients.of(found).fetch(url, init));
      return completeLogin(callback, serverOf, { vault, fetch, now }, browser);
    },
    async onDevice(name, entry, principal, deviceOptions) {
      const server = loginServer(name, entry);
      seal();
      return deviceLogin(server, loginOwner(server, principal), partsOf(server), deviceOptions);
    },
    stored: async (name, entry) => storedLogins(vault, loginServer(name, entry)),
    async version(name, entry, principal) {
      return (await vault.credential(loginOwner(loginServer(name, entry), principal)))?.version;
    },
    async logout(name, entry, principal) {
      const server = loginServer(name, entry);
      return logout(server, loginOwner(server, principal), partsOf(server));
    },
    async close() {
      await clients.close();
      await (await place.made()?.catch(() => undefined))?.rows.close();
    },
  };
}

/** One holder of tokens for each login. */
function tokenHolders(
  partsOf: (server: ProtectedServer) => LoginParts,
  { onChange = () => {}, advice = loginAdvice }: ServerAuthOptions,
): Pick<ServerAuth, 'authorizer' | 'required'> {
  const holders = new Map<string, NeededLogin & { readonly name: string; readonly holder: TokenHolder }>();
  const make = (server: ProtectedServer, caller: ServerCaller, isForGateway: boolean): TokenHolder => {
    const parts = partsOf(server);
    const { principal, subjectToken, name = principal } = caller;
    const isOfPerson = server.auth.type === 'oauth';
    const supply = isOfPerson
      ? storedSupply({ ...parts, server, owner: loginOwner(server, principal), advice: () => advice(server.name, name) })
      : machineSupply({ ...parts, server, subjectToken, isForGateway });
    const login = isOfPerson ? { server: server.name, principal } : undefined;
    return new TokenHolder({ supply, login, now: parts.now, onChange: () => onChange(server.name) });
  };
  return {
    authorizer(name, entry, caller = gatewayCaller) {
      if (!isProtected(entry)) return undefined;
      const server = protectedServer(name, entry);
      // An exchanged token belongs to one connection: its caller may present another token on another one.
      if (server.auth.type === 'token_exchange') return make(server, caller, caller === gatewayCaller && keepsClientsApart(entry));
      const id = JSON.stringify([name, server.resource, server.auth, caller.principal]);
      const holder = holders.get(id)?.holder ?? make(server, caller, false);
      holders.delete(id);
      holders.set(id, { server: name, principal: caller.principal, name: caller.name ?? caller.principal, holder });
      if (holders.size > maxHolders) for (const first of holders.keys()) if (holders.delete(first)) break;
      return holder;
    },
    required: () =>
      [...holders.values()].flatMap(({ server, principal, name, holder: { missingLogin } }) =>
        missingLogin === undefined ? [] : [{ server, principal, name, ...missingLogin }],
      ),
  };
}

/** Servers with the same rule for addresses share connections. */
function outboundClients(timeoutMs: number | undefined): {
  readonly of: (server: ProtectedServer) => OutboundClient;
  readonly close: () => Promise<void>;
} {
  const clients = new Map<string, OutboundClient>();
  return {
    of(server) {
      const addresses = addressesOf(server);
      const name = JSON.stringify(addresses);
      const client = clients.get(name) ?? outboundClient({ addresses, timeoutMs });
      clients.set(name, client);
      return client;
    },
    close: async () => void (await Promise.all([...clients.values()].map((client) => client.close()))),
  };
}

/** Whether calls of clients have connections of their own, so that the gateway's connection runs none. */
const keepsClientsApart = ({ isolation }: McpServerEntry): boolean => isolation !== 'shared';

const loginOwner = ({ name, resource }: ProtectedServer, principal: string): Owner => ({
  server: name,
  resource,
  principal: principal === gatewayPrincipal ? principal : ownerOf(principal),
});

const unreachable = (): Promise<never> => Promise.reject(authError('AUTHORIZATION_FAILED', 'there is no such server'));

function loginServer(name: string, entry: McpServerEntry): ProtectedServer {
  if (!isProtected(entry)) throw authError('AUTHORIZATION_FAILED', `MCP server '${name}' has no 'auth' in the manifest: set auth: oauth.`);
  if (entry.auth.type !== 'oauth')
    throw authError('AUTHORIZATION_FAILED', `MCP server '${name}' has auth: ${entry.auth.type}, which does not need a person to log in.`);
  return protectedServer(name, entry);
}

/** What is known about a login, without its tokens. */
export interface StoredLogin {
  /** `''`: the gateway's own. */
  readonly principal: string;
  readonly issuer: string;
  readonly account: string | undefined;
  readonly scopes: readonly string[];
  readonly obtainedAt: number;
  readonly expiresAt: number | undefined;
  readonly isRenewable: boolean;
}

async function storedLogins(vault: Vault, { name, resource }: ProtectedServer): Promise<readonly StoredLogin[]> {
  const owners = (await vault.owners()).filter((owner) => owner.server === name && owner.resource === resource);
  const logins = await Promise.all(owners.map(async (owner) => ({ owner, stored: await vault.credential(owner).catch(() => undefined) })));
  return logins.flatMap(({ owner, stored }) => {
    if (stored === undefined) return [];
    const { issuer, account, granted, requested, obtainedAt, expiresAt, refreshToken } = stored.credential;
    const { principal } = owner;
    return [{ principal, issuer, account, scopes: granted ?? requested, obtainedAt, expiresAt, isRenewable: refreshToken !== undefined }];
  });
}

/** The command for a login. */
function loginAdvice(server: string, principal: string): string {
  const quoted = /^[\w.~-]+$/.test(principal) ? principal : `'${principal}'`;
  return `Run: holdfast login ${server}${principal === gatewayPrincipal ? '' : ` --principal ${quoted}`}`;
}

/** In the database of the trace, or in a file beside the trace. */
async function sealedRows({ store, folder }: Pick<Manifest, 'store' | 'folder'>): Promise<SealedRows> {
  if (store !== false && 'postgres' in store) {
    const { postgresSealedRows } = await import('@holdfast/store-postgres');
    return postgresSealedRows(postgresOptions(store.postgres));
  }
  const { sqliteSealedRows } = await import('@holdfast/store-sqlite');
  return sqliteSealedRows({ path: join(store === false ? join(folder, '.holdfast') : dirname(store.path), 'credentials.db') });
}

/** Logins at the servers of a manifest, for tools that run without a gateway. */
export interface ServerLogins {
  /** Adds the credentials of a server with `auth`. */
  readonly authorizerOf: AuthorizerOf;
  /** Closes the store of credentials and all connections. */
  readonly close: () => Promise<void>;
}

/** Opens nothing before a server with `auth` is used. */
export function serverLogins(manifest: Manifest): ServerLogins {
  const { authorizer, close } = createServerAuth(manifest);
  return { authorizerOf: (name, entry) => authorizer(name, entry), close };
}
