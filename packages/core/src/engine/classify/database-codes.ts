/**
 * Owns the codes of databases, in rows of `[verdict, codes]`: SQLSTATE, and the vendors' own where their names are not
 * clear enough. Numbers are in `numbered-codes.ts`.
 */
import * as is from './verdict.ts';
import type { Rows } from './verdict.ts';

export const databaseCodes: Rows = [
  // SQLSTATE that differs from its class
  [is.refused, '08001 08004 57P05 ER_CMD_CONNECTION_CLOSED ER_POOL_ALREADY_CLOSED'],
  // A commit that waits for its replicas has been made when the server is shut down.
  [is.brokenServer, '57P01 57P02 40003'],
  [is.notFound, '42P01 42703 42704 42883 42S02 42S22 57P04'],
  [is.conflict, '42P07 42710 42701 42723 42P06 42S01'],
  // a protocol violation: the number of parameters is wrong
  [is.invalidInput, '23502 23514 08P01'],
  [is.permission, '42501 25006'],
  [is.connectTimeout, '57014 70100 HYT00 HYT01 25P03'],
  [is.contention, '55P03 55006 25P02 P2034 UNABLE_TO_LOCK_ROW'],
  [is.full, '53100'],
  [is.exhausted, '53200 53400'],
  // MySQL and MariaDB; most also send a SQLSTATE
  [is.contention, 'ER_LOCK_NOWAIT ER_CHECKREAD ER_LOCK_ABORTED'],
  [is.unavailable, 'ER_CON_COUNT_ERROR ER_USER_LIMIT_REACHED ER_OPTION_PREVENTS_STATEMENT ER_READ_ONLY_MODE'],
  [is.exhausted, 'ER_OUTOFMEMORY POOL_ENQUEUELIMIT POOL_NOCONNECTION'],
  [is.connectTimeout, 'ER_QUERY_TIMEOUT ER_CONNECTION_TIMEOUT ER_STATEMENT_TIMEOUT ER_QUERY_INTERRUPTED'],
  [is.conflict, 'ER_DUP_ENTRY ER_DUP_KEY ER_ROW_IS_REFERENCED_2 ER_NO_REFERENCED_ROW_2'],
  [is.notFound, 'ER_BAD_FIELD_ERROR ER_BAD_DB_ERROR ER_BAD_TABLE_ERROR'],
  [is.auth, 'ER_ACCESS_DENIED_ERROR'],
  [is.permission, 'ER_DBACCESS_DENIED_ERROR ER_TABLEACCESS_DENIED_ERROR ER_COLUMNACCESS_DENIED_ERROR'],
  [is.invalidInput, 'ER_DATA_TOO_LONG'],
  // SQLite: the first two words, unless all of them are listed
  [is.contention, 'SQLITE_BUSY SQLITE_LOCKED SQLITE_SCHEMA'],
  [is.conflict, 'SQLITE_CONSTRAINT'],
  [
    is.invalidInput,
    'SQLITE_CONSTRAINT_NOTNULL SQLITE_CONSTRAINT_CHECK SQLITE_CONSTRAINT_DATATYPE SQLITE_MISMATCH SQLITE_RANGE SQLITE_NOTADB SQLITE_CORRUPT',
  ],
  [is.invalidInput, 'SQLITE_ERROR', is.fallback],
  [is.permission, 'SQLITE_READONLY SQLITE_PERM SQLITE_AUTH'],
  [is.notFound, 'SQLITE_CANTOPEN'],
  [is.tooLarge, 'SQLITE_TOOBIG'],
  [is.full, 'SQLITE_FULL'],
  [is.exhausted, 'SQLITE_NOMEM'],
  [is.unavailable, 'SQLITE_IOERR SQLITE_PROTOCOL'],
  [is.misuse, 'SQLITE_MISUSE'],
  // Prisma and PostgREST, where the message is not clear enough
  [is.refused, 'P1001'],
  [is.exhausted, 'P2024'],
  [is.unavailable, 'PGRST000 PGRST001 PGRST002 PGRST003'],
  [is.notFound, 'P2025 PGRST116'],
  // Oracle
  [is.conflict, 'ORA-00001 ORA-02291 ORA-02292'],
  [is.contention, 'ORA-00054 ORA-00060 ORA-08177'],
  [is.auth, 'ORA-01017'],
  [is.permission, 'ORA-01031'],
  [is.notFound, 'ORA-00942 ORA-00904 ORA-01403'],
  [is.unavailable, 'ORA-00018 ORA-00020 ORA-01033 ORA-01034 ORA-01089 ORA-12514 ORA-12516 ORA-12519 ORA-12520'],
  [is.refused, 'ORA-12541 ORA-12543 ORA-12545 ORA-12154 NJS-503 NJS-511 NJS-518'],
  [is.connectTimeout, 'ORA-12170 NJS-510 NJS-040'],
  [is.cut, 'ORA-03113 ORA-03114 ORA-03135 NJS-500 NJS-003'],
  [is.timeout, 'ORA-01013 NJS-123'],
  [is.invalidInput, 'NJS-515 NJS-516 NJS-517 NJS-530'],
];

/** By the first two characters of a SQLSTATE. HY is left out: it means nothing specific. */
export const sqlClasses: Rows = [
  [is.notFound, '02 34 3D 3F'],
  [is.cut, '08'],
  [is.unsupported, '0A'],
  [is.invalidInput, '21 22 26 42 44 P0'],
  [is.conflict, '23 25 2B 55'],
  [is.misuse, '24'],
  [is.auth, '28'],
  [is.contention, '40'],
  [is.unavailable, '53 57 58'],
  [is.tooLarge, '54'],
  [is.brokenServer, 'XX'],
];
