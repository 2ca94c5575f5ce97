/**
 * Owns codes that are bare numbers, in rows of `[verdict, numbers]`. Does not own which of the tables a number belongs to
 * (`code-findings.ts`).
 */
import * as is from './verdict.ts';
import type { Rows } from './verdict.ts';

/** The names of gRPC's codes, from 1. */
export const grpcNames: readonly string[] =
  'CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED'.split(
    ' ',
  );

/** gRPC and everything that uses its codes. */
export const grpcCodes: Rows = [
  [is.cancelled, '1'],
  // 14: the connection may have dropped after the request was sent.
  [is.brokenServer, '2 13 14 15'],
  [is.invalidInput, '3 11'],
  [is.timeout, '4'],
  [is.notFound, '5'],
  [is.conflict, '6 9'],
  [is.permission, '7'],
  [is.rateLimit, '8'],
  [is.contention, '10'],
  [is.unsupported, '12'],
  [is.auth, '16'],
];

/** JSON-RPC and MCP. -32000 is not here: servers use it for every error that has no code of its own, so it shows nothing. */
export const jsonRpcCodes: Rows = [
  [is.contract, '-32700'],
  [is.invalidInput, '-32600 -32602'],
  [is.unsupported, '-32601'],
  [is.notFound, '-32002'],
  [is.auth, '-32042'],
  [is.rateLimit, '-32005'],
  [is.cancelled, '-32800'],
  [is.contention, '-32801 -32802'],
  // used for several errors: the message decides first
  [is.timeout, '-32001', is.fallback],
  [is.brokenServer, '-32603', is.fallback],
];

/** Replies of SMTP and FTP servers; all others by their first digit. */
export const replyCodes: Rows = [
  [is.refused, '425'],
  [is.cut, '426'],
  [is.contention, '450'],
  [is.exhausted, '452'],
  [is.unsupported, '502 504'],
  [is.auth, '430 530 532 534 535 538'],
  [is.notFound, '550 551'],
  [is.tooLarge, '552', is.fallback],
  [is.permission, '554'],
];

export const webSocketCloses: Rows = [
  [is.cut, '1001 1005 1006'],
  [is.contract, '1002'],
  [is.unsupported, '1003 1010'],
  [is.invalidInput, '1007'],
  [is.permission, '1008'],
  [is.tooLarge, '1009'],
  [is.brokenServer, '1011'],
  [is.unavailable, '1012 1013 1014'],
  [is.untrusted, '1015'],
];

/** MongoDB. Its `codeName`, where present, is read as a name. */
export const mongoCodes: Rows = [
  [is.unavailable, '91 189 11600 11602 10107 13435 13436'],
  [is.refused, '6 7'],
  [is.cut, '89 9001'],
  [is.contention, '112 24 246 251'],
  [is.timeout, '50 262'],
  [is.conflict, '11000 11001 48 85 86'],
  [is.permission, '13'],
  [is.auth, '18 8000'],
  [is.notFound, '26 27'],
  [is.invalidInput, '2 9 14 121'],
  [is.unsupported, '59 115'],
  [is.tooLarge, '10334'],
];

/** Cassandra. */
export const cassandraCodes: Rows = [
  [is.unavailable, '4096 4097 4098'],
  [is.timeout, '4352 4608'],
  [is.invalidInput, '8192 8704'],
  [is.permission, '8448'],
  [is.conflict, '9216'],
];

/** SQLite's primary result codes. */
export const sqliteCodes: Rows = [
  [is.contention, '5 6 17'],
  [is.exhausted, '7'],
  [is.permission, '3 8 23'],
  [is.unavailable, '10 15'],
  [is.full, '13'],
  [is.invalidInput, '1', is.fallback],
  [is.invalidInput, '11 20 25 26'],
  [is.notFound, '12 14'],
  [is.tooLarge, '18'],
  [is.conflict, '19'],
  [is.misuse, '21'],
];

/** Microsoft SQL Server. */
export const sqlServerCodes: Rows = [
  [is.contention, '1205 1222 3960'],
  [is.timeout, '-2'],
  [is.conflict, '547 2601 2627 2714'],
  [is.invalidInput, '102 105 137 156 201 245 515 2628 8114 8115 8152'],
  [is.notFound, '207 208 911 2812 4060'],
  [is.permission, '229 230 262 297 916'],
  [is.auth, '18452 18456 18470'],
  [is.unavailable, '40197 40501 40613 49918 49919 49920'],
  [is.exhausted, '701 802 8645 8651 10928 10929'],
  [is.quota, '40544'],
];

/** Exit codes of programs that mean the same everywhere. */
export const exitCodes: Rows = [
  [is.timeout, '124'],
  [is.unavailable, '69 75'],
  [is.permission, '77 126'],
  [is.notFound, '127'],
  [is.invalidInput, '2 64 65'],
  // 128 and the number of the signal
  [is.unknown, '129 130 131 132 134 135 136 137 139 141 143'],
];
