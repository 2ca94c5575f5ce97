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
import { authError } from './auth-error.ts';
import { beginLogin, completeLogin, type DoneLogin, logout, type LogoutResult, type PendingLogin } from './login.ts';
import { machineSupply } from './machine-supply.ts';
import { type OutboundClient, outboundClient } from './outbound.ts';
import { createSeal } from './seal.ts';
import { readSealingKey } from './sealing-key.ts';
import { addressesOf, isProtected, type ProtectedServer, protectedServer } from './settings.ts';
import { storedSupply } from './stored-supply.ts';
import { type MissingLogin, TokenHolder } from './token-holder.ts';
import { createVault, gatewayPrincipal, type Owner, type VaultPlace } from './vault.ts';

/** Who calls a server. */
export interface ServerCaller {
  /** `''`: the gateway itself, and all clients of a server that does not keep them apart. */
  readonly principal: string;
  /** Returns the token that the caller has presented to the gateway, as input for an exchange and nothing else. */
  readonly subjectToken?: (() => string | undefined) | undefined;
}

export const gatewayCaller: ServerCaller = { principal: gatewayPrincipal };

/** A login that someone has to do. */
export interface RequiredLogin extends MissingLogin {
  readonly server: string;
  readonly principal: string;
}

export interface UpstreamAuth {
  /** The authorizer of requests of one caller; `undefined` for a server without `auth`. Throws if the entry cannot be used. */
  readonly authorizer: (name: string, entry: McpServerEntry, caller?: ServerCaller) => RequestAuthorizer | undefined;
  /** Logins that are missing now, as far as requests have shown. */
  readonly required: () => readonly RequiredLogin[];
  readonly begin: (name: string, entry: McpServerEntry, principal: string, redirectUri: string) => Promise<PendingLogin>;
  readonly complete: (callback: URL, entryOf: (name: string) => McpServerEntry | undefined) => Promise<DoneLogin>;
  readonly logout: (name: string, entry: McpServerEntry, principal: string) => Promise<LogoutResult>;
  readonly close: () => Promise<void>;
}

export interface UpstreamAuthOptions {
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

export function createUpstreamAuth(manifest: Pick<Manifest, 'store' | 'folder'>, options: UpstreamAuthOptions = {}): UpstreamAuth {
  const { onChange = () => {}, advice = loginAdvice, now, key = readSealingKey, timeoutMs } = options;
  const rows = options.rows ?? (() => sealedRows(manifest));
  const holders = new Map<string, { readonly server: string; readonly principal: string; readonly holder: TokenHolder }>();
  const clients = new Map<string, OutboundClient>();
  let opening: Promise<VaultPlace> | undefined;
  const open = async (): Promise<VaultPlace> => ({ seal: createSeal(key()), rows: await rows() });
  const vault = createVault(() => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  });
  const clientOf = (server: ProtectedServer): OutboundClient => {
    const addresses = addressesOf(server);
    const name = JSON.stringify(addresses);
    const client = clients.get(name) ?? outboundClient({ addresses, timeoutMs });
    clients.set(name, client);
    return client;
  };
  const makeHolder = (server: ProtectedServer, caller: ServerCaller): TokenHolder => {
    const { fetch } = clientOf(server);
    const change = (): void => onChange(server.name);
    if (server.auth.type !== 'oauth')
      return new TokenHolder({
        supply: machineSupply({ server, vault, fetch, subjectToken: caller.subjectToken, now }),
        now,
        onChange: change,
      });
    const owner = ownerOf(server, caller.principal);
    const supply = storedSupply({ server, owner, vault, fetch, advice: () => advice(server.name, caller.principal), now });
    return new TokenHolder({ supply, now, onChange: change });
  };

  return {
    authorizer(name, entry, caller = gatewayCaller) {
      if (!isProtected(entry)) return undefined;
      const server = protectedServer(name, entry);
      // An exchanged token belongs to one connection: its caller may present another token on another one.
      if (server.auth.type === 'token_exchange') return makeHolder(server, caller);
      const id = JSON.stringify([name, server.resource, server.auth, caller.principal]);
      const known = holders.get(id)?.holder ?? makeHolder(server, caller);
      holders.delete(id);
      holders.set(id, { server: name, principal: caller.principal, holder: known });
      if (holders.size > maxHolders) for (const first of holders.keys()) if (holders.delete(first)) break;
      return known;
    },
    required: () =>
      [...holders.values()].flatMap(({ server, principal, holder: { missingLogin } }) =>
        missingLogin === undefined ? [] : [{ server, principal, ...missingLogin }],
      ),
    async begin(name, entry, principal, redirectUri) {
      const server = loginServer(name, entry);
      return beginLogin(server, ownerOf(server, principal), redirectUri, { vault, fetch: clientOf(server).fetch, now });
    },
    async complete(callback, entryOf) {
      const found = new Map<string, ProtectedServer>();
      const serverOf = ({ server: name }: Owner): ProtectedServer | undefined => {
        const entry = entryOf(name);
        if (entry !== undefined && isProtected(entry)) found.set(name, protectedServer(name, entry));
        return found.get(name);
      };
      const fetchOf = (): OutboundClient['fetch'] => {
        const [server] = found.values();
        return server === undefined ? unreachable : clientOf(server).fetch;
      };
      return completeLogin(callback, serverOf, { vault, fetch: (url, init) => fetchOf()(url, init), now });
    },
    async logout(name, entry, principal) {
      const server = loginServer(name, entry);
      return logout(server, ownerOf(server, principal), { vault, fetch: clientOf(server).fetch });
    },
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
      await (await opening?.catch(() => undefined))?.rows.close();
    },
  };
}

const ownerOf = ({ name, resource }: ProtectedServer, principal: string): Owner => ({ server: name, resource, principal });

const unreachable: OutboundClient['fetch'] = () => Promise.reject(authError('AUTHORIZATION_FAILED', 'there is no such server'));

function loginServer(name: string, entry: McpServerEntry): ProtectedServer {
  if (!isProtected(entry)) throw authError('AUTHORIZATION_FAILED', `MCP server '${name}' has no 'auth' in the manifest: set auth: oauth.`);
  if (entry.auth.type !== 'oauth')
    throw authError('AUTHORIZATION_FAILED', `MCP server '${name}' has auth: ${entry.auth.type}, which needs no login of a person.`);
  return protectedServer(name, entry);
}

/** The command for a login. */
export function loginAdvice(server: string, principal: string): string {
  return `Run: holdfast login ${server}${principal === gatewayPrincipal ? '' : ` --principal ${principal}`}`;
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
  const { authorizer, close } = createUpstreamAuth(manifest);
  return { authorizerOf: (name, entry) => authorizer(name, entry), close };
}
