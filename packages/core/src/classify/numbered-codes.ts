/**
 * Owns codes that are bare numbers: gRPC, JSON-RPC with MCP, mail and file transfer replies, WebSocket closes, databases.
 * Does not own telling which of these a number is (`code-findings.ts`).
 */
import * as is from './verdict.ts';
import type { Entry } from './verdict.ts';

/** gRPC and everything that borrowed its codes. */
export const grpcCodes: ReadonlyMap<string, Entry> = is.tableOf([
  [is.cancelled, 'rpc', '1'],
  [is.brokenServer, 'rpc', '2 13 15'],
  [is.invalidInput, 'rpc', '3 11'],
  [is.timeout, 'rpc', '4'],
  [is.notFound, 'rpc', '5'],
  [is.conflict, 'rpc', '6 9'],
  [is.permission, 'rpc', '7'],
  [is.rateLimit, 'rpc', '8'],
  [is.contention, 'rpc', '10'],
  [is.unsupported, 'rpc', '12'],
  [is.unavailable, 'rpc', '14'],
  [is.auth, 'rpc', '16'],
]);

/** JSON-RPC and MCP. Where a code is used for several things, the message decides first. */
export const jsonRpcCodes: ReadonlyMap<string, Entry> = is.tableOf([
  [is.contract, 'answer', '-32700'],
  [is.invalidInput, 'answer', '-32600 -32602'],
  [is.unsupported, 'answer', '-32601'],
  [is.notFound, 'answer', '-32002'],
  [is.auth, 'answer', '-32042'],
  [is.cancelled, 'answer', '-32800'],
  [is.contention, 'answer', '-32801 -32802'],
  [is.timeout, 'fallback', '-32001'],
  [is.brokenServer, 'fallback', '-32000 -32603'],
]);

/** Replies of SMTP and FTP servers. */
export const replyCodes: ReadonlyMap<string, Entry> = is.tableOf([
  [is.unavailable, 'answer', '421 432 451 454 455'],
  [is.refused, 'answer', '425'],
  [is.cut, 'answer', '426'],
  [is.contention, 'answer', '450'],
  [is.exhausted, 'answer', '452'],
  [is.invalidInput, 'answer', '500 501 503 553 555 556'],
  [is.unsupported, 'answer', '502 504'],
  [is.auth, 'answer', '430 530 532 534 535 538'],
  [is.notFound, 'answer', '550 551'],
  [is.tooLarge, 'answer', '552'],
  [is.permission, 'answer', '554'],
]);

export const webSocketCloses: ReadonlyMap<string, Entry> = is.tableOf([
  [is.refused, 'system', '1001'],
  [is.cut, 'system', '1005 1006'],
  [is.contract, 'system', '1002'],
  [is.unsupported, 'system', '1003 1010'],
  [is.invalidInput, 'system', '1007'],
  [is.permission, 'system', '1008'],
  [is.tooLarge, 'system', '1009'],
  [is.brokenServer, 'system', '1011'],
  [is.unavailable, 'system', '1012 1013 1014'],
  [is.untrusted, 'system', '1015'],
]);

/** MongoDB. Its `codeName`, where it sends one, is read as a word. */
export const mongoCodes: ReadonlyMap<string, Entry> = is.tableOf([
  [is.unavailable, 'answer', '91 189 11600 11602 10107 13435 13436 10058 133 134'],
  [is.refused, 'answer', '6 7'],
  [is.cut, 'answer', '89 9001'],
  [is.contention, 'answer', '112 24 246 251'],
  [is.timeout, 'answer', '50 202 262'],
  [is.conflict, 'answer', '11000 11001 48 68 85 86'],
  [is.permission, 'answer', '13'],
  [is.auth, 'answer', '18 8000'],
  [is.notFound, 'answer', '26 27 43'],
  [is.invalidInput, 'answer', '2 9 14 20 121'],
  [is.unsupported, 'answer', '59 115 303'],
  [is.tooLarge, 'answer', '10334 17419 17420'],
]);

/** SQLite's primary result codes. */
export const sqliteCodes: ReadonlyMap<string, Entry> = is.tableOf([
  [is.contention, 'answer', '5 6 17'],
  [is.exhausted, 'answer', '7'],
  [is.permission, 'answer', '3 8 23'],
  [is.unavailable, 'answer', '10 15'],
  [is.full, 'answer', '13'],
  [is.invalidInput, 'answer', '1 11 20 25 26'],
  [is.notFound, 'answer', '12 14'],
  [is.tooLarge, 'answer', '18'],
  [is.conflict, 'answer', '19'],
  [is.bug, 'answer', '21'],
]);

/** Microsoft SQL Server. */
export const sqlServerCodes: ReadonlyMap<string, Entry> = is.tableOf([
  [is.contention, 'answer', '1205 1222 3960'],
  [is.timeout, 'answer', '-2'],
  [is.conflict, 'answer', '547 2601 2627 2714'],
  [is.invalidInput, 'answer', '102 156 105 137 201 245 515 2628 8114 8115 8152'],
  [is.notFound, 'answer', '207 208 911 2812 4060'],
  [is.permission, 'answer', '229 230 262 297 916'],
  [is.auth, 'answer', '18452 18456 18470'],
  [is.unavailable, 'answer', '40197 40501 40613 49918 49919 49920 4221 615 926 601'],
  [is.exhausted, 'answer', '701 802 8645 8651 10928 10929 17809'],
  [is.quota, 'answer', '40544'],
]);

/** Exit codes of programs that mean the same everywhere. */
export const exitCodes: ReadonlyMap<string, Entry> = is.tableOf([
  [is.timeout, 'fallback', '124'],
  [is.unavailable, 'fallback', '69 75'],
  [is.permission, 'fallback', '77 126'],
  [is.notFound, 'fallback', '127'],
  [is.invalidInput, 'fallback', '2 64 65'],
]);
