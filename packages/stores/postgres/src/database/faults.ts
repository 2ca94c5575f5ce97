/**
 * Owns the kinds of database faults, how they are recognised, and the sentence that names the fix.
 */

/** Why PostgreSQL did not do what the store asked. Each kind has its own fix in the message. */
export type DatabaseFaultKind =
  | 'unreachable'
  | 'timeout'
  | 'starting'
  | 'connections'
  | 'credentials'
  | 'missing_database'
  | 'permission'
  | 'full'
  | 'read_only'
  | 'locked'
  | 'newer_schema'
  | 'unsupported'
  | 'missing_tables'
  | 'unavailable';

/** The database cannot be used as it is, and waiting does not fix it. */
export class DatabaseConfigurationError extends Error {
  override readonly name: string = 'DatabaseConfigurationError';
  readonly code: DatabaseFaultKind;

  constructor(code: DatabaseFaultKind, message: string) {
    super(message);
    this.code = code;
  }
}

/** PostgreSQL's codes of five characters, Node's of system calls, and our own. Two characters are a class of codes. */
const kinds: Readonly<Record<string, DatabaseFaultKind>> = {
  '08': 'unreachable',
  '57P01': 'starting',
  '57P02': 'starting',
  '57P03': 'starting',
  '57014': 'timeout',
  '25P03': 'timeout',
  '53300': 'connections',
  '28': 'credentials',
  '3D000': 'missing_database',
  '42501': 'permission',
  '53100': 'full',
  '25006': 'read_only',
  '55P03': 'locked',
  '40': 'locked',
  '3F000': 'missing_tables',
  '42P01': 'missing_tables',
  '42703': 'missing_tables',
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  EPIPE: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'timeout',
};

const sentences: Readonly<Record<DatabaseFaultKind, string>> = {
  unreachable: 'the server cannot be reached; check that it runs, its address and the network',
  timeout: 'the server does not answer in time; check its load and the network',
  starting: 'the server is starting or stopping; the store retries',
  connections: 'the server has no connection left; raise its max_connections, or give `connections` a smaller number in each process',
  credentials: 'the user or password was refused; check the address and the server’s pg_hba.conf',
  missing_database: 'there is no such database; create it with CREATE DATABASE',
  permission: 'the user lacks a privilege; grant it CREATE on the database, or a schema that it owns',
  full: 'the disk of the server is full; free some space',
  read_only: 'the server is read-only, such as a standby; give the address of the primary',
  locked: 'another session holds locks on the tables; find it in pg_stat_activity',
  newer_schema: 'the tables are of a newer version',
  unsupported: 'this database cannot be used',
  missing_tables: 'the tables are missing; a store that is not read-only creates them',
  unavailable: 'the database is not available',
};

export function databaseFaultKind(error: unknown): DatabaseFaultKind {
  const { code, message } = errorOf(error);
  if (code in sentences) return code as DatabaseFaultKind;
  const kind = kinds[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? kinds[code.slice(0, 2)] : undefined);
  if (kind !== undefined) return kind;
  // The client reports these without a code.
  if (/password/i.test(message)) return 'credentials';
  if (/timeout/i.test(message)) return 'timeout';
  return /connection terminated|connection ended|server closed/i.test(message) ? 'unreachable' : 'unavailable';
}

/** What is wrong and how to fix it, without secrets. */
export function databaseProblem(place: string, error: unknown): string {
  return `PostgreSQL ${place}: ${sentences[databaseFaultKind(error)]} (${errorOf(error).message}).`;
}

/** True when the database refused the data itself: the transaction is rolled back, and the same data would be refused again. */
export function isDataFault(error: unknown): boolean {
  const { code } = errorOf(error);
  return /^(?:22|23|54)[0-9A-Z]{3}$/.test(code);
}

/** True for a conflict of two transactions, which a retry resolves. */
export function isConflict(error: unknown): boolean {
  const { code } = errorOf(error);
  return code === '40P01' || code === '40001';
}

function errorOf(error: unknown): { readonly code: string; readonly message: string } {
  if (typeof error !== 'object' || error === null) return { code: '', message: String(error) };
  const { code, message, errors } = error as { readonly code?: unknown; readonly message?: unknown; readonly errors?: unknown };
  // A name with several addresses fails with one error for each.
  if (Array.isArray(errors) && errors.length > 0 && (typeof message !== 'string' || message === '')) return errorOf(errors[0]);
  return { code: typeof code === 'string' ? code : '', message: typeof message === 'string' ? message : 'no reason given' };
}
