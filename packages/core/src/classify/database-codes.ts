/**
 * Owns the codes of databases: SQLSTATE, and the vendors' own where they are words. Numbers are in `numbered-codes.ts`.
 */
import * as is from './verdict.ts';
import type { Entry, Verdict } from './verdict.ts';

export const databaseCodes: ReadonlyMap<string, Entry> = is.tableOf([
  // SQLSTATE that differs from its class
  [is.refused, 'answer', '08001 08004 57P05'],
  [is.notFound, 'answer', '42P01 42703 42704 42883 42S02 42S22 3D000 3F000 57P04 02000'],
  [is.conflict, 'answer', '42P07 42710 42701 42723 42P06 42S01 55000'],
  [is.invalidInput, 'answer', '23502 23514'],
  [is.permission, 'answer', '42501 25006'],
  [is.auth, 'answer', '28P01 28000'],
  [is.connectTimeout, 'answer', '57014 70100 HYT00 HYT01 25P03 57P05'],
  [is.contention, 'answer', '55P03 55006 40001 40P01 25P02'],
  [is.tooLarge, 'answer', '54000'],
  [is.full, 'answer', '53100'],
  [is.exhausted, 'answer', '53200 53400'],
  // MySQL and MariaDB
  [is.contention, 'answer', 'ER_LOCK_DEADLOCK ER_LOCK_WAIT_TIMEOUT ER_LOCK_NOWAIT ER_CHECKREAD ER_XA_RBDEADLOCK ER_LOCK_ABORTED'],
  [
    is.unavailable,
    'answer',
    'ER_CON_COUNT_ERROR ER_TOO_MANY_USER_CONNECTIONS ER_USER_LIMIT_REACHED ER_SERVER_SHUTDOWN ER_OPTION_PREVENTS_STATEMENT ER_READ_ONLY_MODE ER_SERVER_OFFLINE_MODE',
  ],
  [
    is.exhausted,
    'answer',
    'ER_OUTOFMEMORY ER_OUT_OF_SORTMEMORY ER_OUT_OF_RESOURCES POOL_ENQUEUELIMIT POOL_NOCONNECTION ER_GET_CONNECTION_TIMEOUT',
  ],
  [is.connectTimeout, 'answer', 'ER_QUERY_TIMEOUT ER_CONNECTION_TIMEOUT ER_STATEMENT_TIMEOUT ER_QUERY_INTERRUPTED'],
  [
    is.conflict,
    'answer',
    'ER_DUP_ENTRY ER_DUP_KEY ER_DUP_ENTRY_WITH_KEY_NAME ER_ROW_IS_REFERENCED_2 ER_NO_REFERENCED_ROW_2 ER_ROW_IS_REFERENCED ER_NO_REFERENCED_ROW ER_TABLE_EXISTS_ERROR ER_DB_CREATE_EXISTS',
  ],
  [is.notFound, 'answer', 'ER_NO_SUCH_TABLE ER_BAD_FIELD_ERROR ER_BAD_DB_ERROR ER_BAD_TABLE_ERROR ER_SP_DOES_NOT_EXIST'],
  [is.auth, 'answer', 'ER_ACCESS_DENIED_ERROR ER_MUST_CHANGE_PASSWORD ER_NOT_SUPPORTED_AUTH_MODE ER_ACCOUNT_HAS_BEEN_LOCKED'],
  [
    is.permission,
    'answer',
    'ER_DBACCESS_DENIED_ERROR ER_TABLEACCESS_DENIED_ERROR ER_COLUMNACCESS_DENIED_ERROR ER_SPECIFIC_ACCESS_DENIED_ERROR ER_HOST_NOT_PRIVILEGED',
  ],
  [is.tooLarge, 'answer', 'ER_NET_PACKET_TOO_LARGE'],
  [is.full, 'answer', 'ER_DISK_FULL ER_RECORD_FILE_FULL'],
  // SQLite
  [is.contention, 'answer', 'SQLITE_BUSY SQLITE_LOCKED SQLITE_SCHEMA'],
  [is.conflict, 'answer', 'SQLITE_CONSTRAINT'],
  [
    is.invalidInput,
    'answer',
    'ER_DATA_TOO_LONG SQLITE_CONSTRAINT_NOTNULL SQLITE_CONSTRAINT_CHECK SQLITE_CONSTRAINT_DATATYPE SQLITE_MISMATCH SQLITE_RANGE SQLITE_NOTADB SQLITE_CORRUPT SQLITE_ERROR',
  ],
  [is.permission, 'answer', 'SQLITE_READONLY SQLITE_PERM SQLITE_AUTH'],
  [is.notFound, 'answer', 'SQLITE_CANTOPEN SQLITE_NOTFOUND'],
  [is.tooLarge, 'answer', 'SQLITE_TOOBIG'],
  [is.full, 'answer', 'SQLITE_FULL'],
  [is.exhausted, 'answer', 'SQLITE_NOMEM'],
  [is.unavailable, 'answer', 'SQLITE_IOERR SQLITE_PROTOCOL'],
  [is.bug, 'answer', 'SQLITE_MISUSE'],
  // Prisma
  [is.refused, 'answer', 'P1001 P1011'],
  [is.cut, 'answer', 'P1017'],
  [is.timeout, 'answer', 'P1008'],
  [is.connectTimeout, 'answer', 'P1002'],
  [is.auth, 'answer', 'P1000'],
  [is.permission, 'answer', 'P1010'],
  [is.notFound, 'answer', 'P1003 P2001 P2015 P2018 P2021 P2022 P2025'],
  [is.conflict, 'answer', 'P2002 P2003 P2004 P2014'],
  [is.exhausted, 'answer', 'P2024 P2037'],
  [is.contention, 'answer', 'P2034 P2028'],
  [is.unsupported, 'answer', 'P2026'],
  // PostgREST
  [is.unavailable, 'answer', 'PGRST000 PGRST001 PGRST002 PGRST003'],
  [is.notFound, 'answer', 'PGRST106 PGRST116 PGRST125 PGRST200 PGRST201 PGRST202 PGRST203 PGRST204 PGRST205'],
  [is.auth, 'answer', 'PGRST300 PGRST301 PGRST302 PGRST303'],
  // Oracle
  [is.conflict, 'answer', 'ORA-00001 ORA-02291 ORA-02292 ORA-00955'],
  [is.contention, 'answer', 'ORA-00054 ORA-00060 ORA-08177 ORA-04068 ORA-30006'],
  [is.auth, 'answer', 'ORA-01017 ORA-28000 ORA-28001'],
  [is.permission, 'answer', 'ORA-01031'],
  [is.notFound, 'answer', 'ORA-00942 ORA-00904 ORA-01403 ORA-04043'],
  [
    is.unavailable,
    'answer',
    'ORA-00018 ORA-00020 ORA-01033 ORA-01034 ORA-01089 ORA-12514 ORA-12516 ORA-12518 ORA-12519 ORA-12520 ORA-12528',
  ],
  [is.refused, 'answer', 'ORA-12541 ORA-12543 ORA-12545 ORA-12154 NJS-503 NJS-511'],
  [is.connectTimeout, 'answer', 'ORA-12170 NJS-510'],
  [is.cut, 'answer', 'ORA-03113 ORA-03114 ORA-03135 ORA-12537 ORA-12547 ORA-12571 ORA-02396 NJS-500 NJS-003'],
  [is.timeout, 'answer', 'ORA-01013 ORA-03136 NJS-123 DPI-1067'],
  [is.exhausted, 'answer', 'NJS-040 NJS-076 NJS-107'],
]);

/** By the first two characters of a SQLSTATE. HY is left out: it says nothing. */
const sqlClasses: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ['02', is.notFound],
  ['08', is.cut],
  ['0A', is.unsupported],
  ['21', is.invalidInput],
  ['22', is.invalidInput],
  ['23', is.conflict],
  ['24', is.bug],
  ['25', is.conflict],
  ['26', is.invalidInput],
  ['28', is.auth],
  ['2B', is.conflict],
  ['34', is.notFound],
  ['3D', is.notFound],
  ['3F', is.notFound],
  ['40', is.contention],
  ['42', is.invalidInput],
  ['44', is.invalidInput],
  ['53', is.unavailable],
  ['54', is.tooLarge],
  ['55', is.conflict],
  ['57', is.unavailable],
  ['58', is.unavailable],
  ['P0', is.invalidInput],
  ['XX', is.brokenServer],
]);

/** Vendor families that share a beginning. */
const families: readonly (readonly [RegExp, Verdict])[] = [
  [/^SQLITE_(?:BUSY|LOCKED)_/, is.contention],
  [/^SQLITE_CONSTRAINT_/, is.conflict],
  [/^SQLITE_READONLY_/, is.permission],
  [/^SQLITE_CANTOPEN_/, is.notFound],
  [/^SQLITE_IOERR_/, is.unavailable],
  [/^P2\d{3}$/, is.invalidInput],
  [/^PGRST\d{3}$/, is.invalidInput],
  [/^Neo\.TransientError\./, is.contention],
];

const sqlState = /^[0-9A-Z]{5}$/;

/** The meaning of a code that is not in the table itself. */
export function databaseFamily(code: string): Entry | undefined {
  for (const [pattern, verdict] of families) if (pattern.test(code)) return { verdict, weight: 'answer' };
  if (!sqlState.test(code) || !/\d/.test(code)) return undefined;
  const verdict = sqlClasses.get(code.slice(0, 2));
  return verdict && { verdict, weight: 'answer' };
}
