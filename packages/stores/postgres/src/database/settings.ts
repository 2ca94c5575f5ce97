/**
 * Owns which database is used and with which time limits: options, defaults, checks. Does not own connecting (`database.ts`).
 */
import type { ConnectionOptions } from 'node:tls';
import { checkOptions, refuse, type Fields, type NumberRule, type Rule } from '@holdfast/core/internal/plain';
import { Client, type ClientConfig } from 'pg';

/** The parts of an address. Absent parts come from PostgreSQL's environment variables (`PGHOST` …). */
export interface PostgresConnection {
  /** Name or address of the server, or the folder of its Unix socket. @default `PGHOST`, else 'localhost' */
  readonly host?: string;
  /** Port of the server. @default `PGPORT`, else 5432 */
  readonly port?: number;
  /** Name of the database. @default `PGDATABASE`, else the user's name */
  readonly database?: string;
  /** Name of the user. @default `PGUSER`, else the user of this process */
  readonly user?: string;
  /** A function is called for every new connection: for passwords that expire. */
  readonly password?: string | (() => string | Promise<string>);
  /** Whether the connection uses TLS, or how. @default `PGSSLMODE`, else not */
  readonly ssl?: boolean | ConnectionOptions;
}

/** Which database is used, and how long it may take. */
export interface DatabaseOptions {
  /** `postgres://user@host:5432/database`. Either this or `connection`. */
  readonly url?: string;
  /** The address in parts. Either this or `url`. */
  readonly connection?: PostgresConnection;
  /** Instead of a password within `url`. */
  readonly password?: string | (() => string | Promise<string>);
  /** The schema that holds the tables. It is created if it is missing and the user has the right to. @default 'holdfast' */
  readonly schema?: string;
  /** Most connections; one of them is the writer's. @default 4 */
  readonly connections?: number;
  /** How long a connection may take. @default 5000 */
  readonly connectTimeoutMs?: number;
  /** How long a statement may take, waiting for locks included. @default 10000 */
  readonly statementTimeoutMs?: number;
}

export interface DatabaseSettings {
  readonly client: ClientConfig;
  /** Names the database, without secrets: `postgres://user@host:5432/database`. */
  readonly place: string;
  readonly schema: string;
  readonly connections: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

/** PostgreSQL cuts longer names, and names of ours are appended to it. */
const maxSchemaLength = 40;

const wholeMs: NumberRule = ['a whole number of milliseconds, 1 or more', 1, Number.MAX_SAFE_INTEGER, true];

const password: Rule = (value, field) => {
  if (typeof value !== 'string' && typeof value !== 'function') refuse(field, typeof value, 'a string or a function', '');
};

const connectionFields: Fields = {
  host: 'string',
  port: ['a port', 0, 65_535, true],
  database: 'string',
  user: 'string',
  password,
  ssl: (value, field) => {
    if (typeof value !== 'boolean' && (typeof value !== 'object' || value === null)) refuse(field, value, 'true, false or TLS options', '');
  },
};

/** An address may contain a secret, so no message shows it. */
const address: Rule = (value, field) => {
  if (typeof value !== 'string') refuse(field, value, 'an address such as postgres://user@host:5432/database', '');
};

const databaseFields: Fields = {
  url: address,
  connection: (value, field) => {
    if (typeof value !== 'object') refuse(field, typeof value, 'an object { host, port, database, user, password, ssl }', '');
    checkOptions(connectionFields, value, field);
  },
  password,
  schema: (value, field) => {
    if (typeof value !== 'string' || !/^[^\0'"\\]+$/u.test(value) || Buffer.byteLength(value) > maxSchemaLength)
      refuse(field, value, `a name of 1 to ${String(maxSchemaLength)} bytes without quotes`, '');
  },
  connections: ['a whole number, 2 or more', 2, Number.MAX_SAFE_INTEGER, true],
  connectTimeoutMs: wholeMs,
  statementTimeoutMs: wholeMs,
};

const usualLimits: Pick<DatabaseSettings, 'connectTimeoutMs' | 'statementTimeoutMs'> = {
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
};

/**
 * @param own the further fields of the options
 * @throws TypeError | RangeError that names `factory`, the option and the fix.
 */
export function databaseSettings(
  options: DatabaseOptions,
  factory: string,
  own: Fields = {},
  limits: typeof usualLimits = usualLimits,
): DatabaseSettings {
  checkOptions({ ...databaseFields, ...own }, options, factory);
  const client = clientConfig(options, factory);
  return {
    client,
    place: placeOf(client),
    schema: options.schema ?? 'holdfast',
    connections: options.connections ?? 4,
    connectTimeoutMs: options.connectTimeoutMs ?? limits.connectTimeoutMs,
    statementTimeoutMs: options.statementTimeoutMs ?? limits.statementTimeoutMs,
  };
}

function clientConfig({ url, connection, password }: DatabaseOptions, factory: string): ClientConfig {
  if ((url === undefined) === (connection === undefined)) {
    throw new TypeError(`${factory}: give either url or connection${url === undefined ? '' : ', not both'}.`);
  }
  if (url !== undefined) return addressOf(url, password, factory);
  const { ssl, ...parts } = connection ?? {};
  return {
    ...parts,
    // The types of the TLS options differ only in `readonly`.
    ...(ssl === undefined ? {} : { ssl: ssl as NonNullable<ClientConfig['ssl']> }),
    ...(password === undefined ? {} : { password }),
  };
}

/** Parses the address, since the client ignores a password that is given beside one. */
function addressOf(url: string, password: DatabaseOptions['password'], factory: string): ClientConfig {
  const invalidUrl = (what: string): TypeError =>
    new TypeError(
      `${factory}: url ${what}; give an address such as postgres://user@host:5432/database, with special characters percent-encoded.`,
    );
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw invalidUrl('does not begin with postgres://');
  let parsed: Client;
  let words: URLSearchParams;
  try {
    parsed = new Client({ connectionString: url });
    words = new URL(url).searchParams;
  } catch {
    // The original message would repeat the address, which may contain a secret.
    throw invalidUrl('cannot be read');
  }
  const { user, host, port, database, ssl } = parsed;
  const [name, options] = [words.get('application_name'), words.get('options')];
  return {
    ...(user === undefined ? {} : { user }),
    host,
    port,
    ...(database === undefined ? {} : { database }),
    ssl,
    ...(password === undefined ? (typeof parsed.password === 'string' ? { password: parsed.password } : {}) : { password }),
    ...(name === null ? {} : { application_name: name }),
    ...(options === null ? {} : { options }),
  };
}

function placeOf(config: ClientConfig): string {
  // The client adds the parts that come from the environment.
  const { user, host, port, database } = new Client(config);
  return `postgres://${encodeURIComponent(user ?? '')}@${host}:${String(port)}/${encodeURIComponent(database ?? '')}`;
}
