/**
 * Owns what is kept about logins: credentials, registered clients, logins that are under way. Everything is sealed; the name of a row is part of its seal.
 *
 * Invariants
 * 1. A credential belongs to one server, one resource, one issuer and one principal. It is found only by all of them.
 * 2. A row that cannot be opened is an error, never a missing login: it is not replaced.
 */
import { hash } from 'node:crypto';
import type { SealedRows, SealedWrite } from '@holdfast/core/store';
import type { AuthorizationServer } from 'oauth4webapi';
import { authError } from './auth-error.ts';
import type { Seal } from './seal.ts';

/** The gateway's own logins: used for every client of a server that is not kept apart. */
export const gatewayPrincipal = '';

/** Whose login at which server. */
export interface Owner {
  /** Name of the server in the manifest. */
  readonly server: string;
  readonly resource: string;
  readonly principal: string;
}

/** A client at one authorization server. */
export interface KnownClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method: string;
  readonly [name: string]: string | undefined;
}

export interface Credential {
  readonly issuer: string;
  /** As sent to the issuer; absent if none is. */
  readonly resource?: string | undefined;
  /** The metadata of the issuer that later requests need. */
  readonly authorizationServer: AuthorizationServer;
  /** Its secret is here only if the issuer assigned it; one of the manifest is read when it is needed. */
  readonly client: KnownClient;
  readonly accessToken: string;
  readonly tokenType: 'bearer' | 'dpop';
  readonly refreshToken?: string | undefined;
  readonly obtainedAt: number;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** Scopes of the request. */
  readonly requested: readonly string[];
  readonly granted?: readonly string[] | undefined;
  /** The key that the token is bound to, as a JWK. */
  readonly dpopKey?: unknown;
  /** The account at the server, if the issuer has named it. */
  readonly account?: string | undefined;
}

/** A credential as it is stored. */
export interface StoredCredential {
  readonly credential: Credential;
  readonly version: string;
}

/** A login that was begun. */
export interface Attempt {
  readonly owner: Owner;
  readonly issuer: string;
  /** As sent to the issuer; absent if none is. */
  readonly resource?: string | undefined;
  readonly authorizationServer: AuthorizationServer;
  readonly client: KnownClient;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly dpop: boolean;
  /** Hash of the secret of the browser in which it was begun. Absent: it was begun in a terminal. */
  readonly browser?: string | undefined;
}

export interface Vault {
  /** The owners of all credentials. */
  readonly owners: () => Promise<readonly Owner[]>;
  readonly credential: (owner: Owner) => Promise<StoredCredential | undefined>;
  /** Resolves to the new version; `undefined` if the credential is not the expected version. */
  readonly keep: (owner: Owner, credential: Credential, expected?: string) => Promise<string | undefined>;
  readonly forget: (owner: Owner) => Promise<boolean>;
  /** Scopes that the server wants beyond those of the login. */
  readonly wanted: (owner: Owner) => Promise<readonly string[]>;
  readonly want: (owner: Owner, scopes: readonly string[]) => Promise<void>;
  readonly client: (issuer: string, redirectUri: string) => Promise<KnownClient | undefined>;
  readonly keepClient: (issuer: string, redirectUri: string, client: KnownClient) => Promise<void>;
  readonly forgetClient: (issuer: string, redirectUri: string) => Promise<void>;
  /** Resolves to the issuer that a client of the manifest belongs to: the first one it was used with. */
  readonly issuerOf: (server: string, clientId: string, issuer: string) => Promise<string>;
  readonly begin: (state: string, attempt: Attempt, limitMs: number) => Promise<void>;
  /** Resolves to the attempt once; then it is gone. */
  readonly finish: (state: string) => Promise<Attempt | undefined>;
  /** Runs work while no other process refreshes this login. `undefined` if another one does. */
  readonly exclusively: <Result>(
    owner: Owner,
    holder: string,
    work: () => Promise<Result>,
  ) => Promise<{ readonly result: Result } | undefined>;
}

/** Longer than a refresh with its repetition may take. */
const leaseMs = 25_000;

const nameOf = (...parts: readonly string[]): string => JSON.stringify(parts);
const ownerName = (kind: string, { server, principal, resource }: Owner): string => nameOf(kind, server, principal, resource);

const credentialPrefix = '["credential",';

function ownerOfCredential(name: string): Owner {
  const [, server = '', principal = '', resource = ''] = JSON.parse(name) as readonly string[];
  return { server, principal, resource };
}

/** The rows and their seal, opened by the first use. */
export interface VaultPlace {
  readonly rows: SealedRows;
  /** Called when there is something to open or to seal: it may create the key. */
  readonly seal: () => Seal;
}

export function createVault(place: () => Promise<VaultPlace>): Vault {
  const read = async <Value>(name: string): Promise<{ readonly value: Value; readonly version: string } | undefined> => {
    const { rows, seal } = await place();
    const row = await rows.read(name);
    return row === undefined ? undefined : { value: opened(seal(), name, row.sealed) as Value, version: row.version };
  };
  const write = async (name: string, value: unknown, options: SealedWrite = {}): Promise<string | undefined> => {
    const { rows, seal } = await place();
    return rows.write(name, seal().seal(name, value), options);
  };
  const remove = async (name: string, version?: string): Promise<boolean> => (await place()).rows.delete(name, version);

  return {
    owners: async () => (await (await place()).rows.keys(credentialPrefix)).map(ownerOfCredential),
    async credential(owner) {
      const row = await read<Credential>(ownerName('credential', owner));
      return row === undefined ? undefined : { credential: row.value, version: row.version };
    },
    async keep(owner, credential, expected) {
      const version = await write(ownerName('credential', owner), credential, { expected });
      if (expected === undefined) await remove(ownerName('wanted', owner));
      return version;
    },
    async forget(owner) {
      await remove(ownerName('wanted', owner));
      return remove(ownerName('credential', owner));
    },
    wanted: async (owner) => (await read<readonly string[]>(ownerName('wanted', owner)))?.value ?? [],
    want: async (owner, scopes) => void (await write(ownerName('wanted', owner), scopes)),
    client: async (issuer, redirectUri) => (await read<KnownClient>(nameOf('client', issuer, redirectUri)))?.value,
    keepClient: async (issuer, redirectUri, client) => void (await write(nameOf('client', issuer, redirectUri), client)),
    forgetClient: async (issuer, redirectUri) => void (await remove(nameOf('client', issuer, redirectUri))),
    async issuerOf(server, clientId, issuer) {
      const name = nameOf('issuer', server, clientId);
      const known = await read<string>(name);
      if (known !== undefined) return known.value;
      await write(name, issuer, { expected: null });
      return (await read<string>(name))?.value ?? issuer;
    },
    begin: async (state, attempt, limitMs) => void (await write(attemptName(state), attempt, { expected: null, expiresInMs: limitMs })),
    async finish(state) {
      const name = attemptName(state);
      const row = await read<Attempt>(name);
      return row !== undefined && (await remove(name, row.version)) ? row.value : undefined;
    },
    async exclusively(owner, holder, work) {
      const { rows } = await place();
      const name = ownerName('refresh', owner);
      if (!(await rows.acquire(name, holder, leaseMs))) return undefined;
      try {
        return { result: await work() };
      } finally {
        await rows.release(name, holder);
      }
    },
  };
}

const attemptName = (state: string): string => nameOf('login', hash('sha256', state, 'base64url'));

function opened(seal: Seal, name: string, sealed: string): unknown {
  try {
    return seal.open(name, sealed);
  } catch (error) {
    const [kind = '', server = ''] = JSON.parse(name) as readonly string[];
    const reason = error instanceof Error ? error.message : String(error);
    throw authError(
      'AUTHORIZATION_FAILED',
      `The stored ${kind} of ${server} cannot be opened: ${reason}. Use the key of the gateway that stored it, or log out and in again.`,
    );
  }
}
