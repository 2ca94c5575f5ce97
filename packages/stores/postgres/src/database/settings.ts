/**
 * Owns which database is used and with which time limits: options, defaults, checks. Does not own connecting (`database.ts`).
 */
import type { ConnectionOptions } from 'node:tls';
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
const longestSchema = 40;

/** Throws a `TypeError` or `RangeError` that names `factory`, the option and the fix. */
export function databaseSettings(options: DatabaseOptions, factory: string): DatabaseSettings {
  const client = clientConfig(options, factory);
  const schema = options.schema ?? 'holdfast';
  if (typeof schema !== 'string' || !/^[^\0'"\\]+$/u.test(schema) || Buffer.byteLength(schema) > longestSchema) {
    throw new TypeError(
      `${factory}: schema is ${JSON.stringify(schema)}; give a name of 1 to ${String(longestSchema)} bytes without quotes.`,
    );
  }
  return {
    client,
    place: placeOf(client),
    schema,
    connections: wholeNumber(factory, 'connections', options.connections ?? 4, 2),
    connectTimeoutMs: wholeNumber(factory, 'connectTimeoutMs', options.connectTimeoutMs ?? 5_000, 1),
    statementTimeoutMs: wholeNumber(factory, 'statementTimeoutMs', options.statementTimeoutMs ?? 10_000, 1),
  };
}

export function wholeNumber(factory: string, field: string, value: number, minimum: number): number {
  if (Number.isSafeInteger(value) && value >= minimum) return value;
  throw new RangeError(`${factory}: ${field} is ${String(value)}; give a whole number of at least ${String(minimum)}.`);
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
  const wrong = (what: string): TypeError =>
    new TypeError(
      `${factory}: url ${what}; give an address such as postgres://user@host:5432/database, with special characters percent-encoded.`,
    );
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw wrong('does not begin with postgres://');
  let parsed: Client;
  let words: URLSearchParams;
  try {
    parsed = new Client({ connectionString: url });
    words = new URL(url).searchParams;
  } catch {
    // The original message would repeat the address, which may contain a secret.
    throw wrong('cannot be read');
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
