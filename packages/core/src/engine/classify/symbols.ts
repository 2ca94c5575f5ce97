/**
 * Owns what a code or a class name means, looked up in all tables. Does not own the tables.
 *
 * 1. The tables are merged when the first error arrives.
 * 2. The meaning of a name is cached, for `memoryLimit` names at most.
 */
import { databaseCodes, sqlClasses } from './database-codes.ts';
import { statuses } from './http-statuses.ts';
import * as numbered from './numbered-codes.ts';
import { phraseIn, wordsOf } from './phrases.ts';
import { programExits } from './programs.ts';
import { serviceCodes, soapFaults } from './service-codes.ts';
import { emptyCodes, systemCodes, systemFamilies } from './system-codes.ts';
import * as is from './verdict.ts';
import type { Entry, Rows, Weight } from './verdict.ts';

let table: Map<string, Entry> | undefined;

/** All tables in one: `ECONNRESET`, `status:404`, `grpc:14`, `sql:23`. */
function meaningOf(symbol: string): Entry | undefined {
  if (table === undefined) {
    table = new Map();
    addRows(systemCodes, is.system);
    addRows(databaseCodes, is.answer);
    addRows(serviceCodes, is.answer);
    addRows(sqlClasses, is.answer, 'sql:');
    addRows(soapFaults, is.answer, 'fault:');
    addRows(statuses, is.status, 'status:');
    addRows(numbered.grpcCodes, is.rpc, 'grpc:');
    addRows(numbered.jsonRpcCodes, is.answer, 'mcp:');
    addRows(numbered.replyCodes, is.answer, 'reply:');
    addRows(numbered.webSocketCloses, is.system, 'websocket:');
    addRows(numbered.mongoCodes, is.answer, 'mongo:');
    addRows(numbered.cassandraCodes, is.answer, 'cassandra:');
    addRows(numbered.sqliteCodes, is.answer, 'sqlite:');
    addRows(numbered.sqlServerCodes, is.answer, 'sqlserver:');
    addRows(numbered.exitCodes, is.fallback, 'exit:');
    for (const [name, rows] of Object.entries(programExits)) addRows(rows, is.system, `exit ${name}:`);
  }
  return table.get(symbol);
}

function addRows(rows: Rows, usual: Weight, kind = ''): void {
  for (const [verdict, codes, weight = usual] of rows) {
    const entry: Entry = { verdict, weight };
    for (const code of codes.split(' ')) if (!table?.has(kind + code)) table?.set(kind + code, entry);
  }
}

/** The meaning of a number: unlisted ones by their first digit, where it has a meaning. */
export function numberedEntry(kind: string, value: number): Entry | undefined {
  const known = meaningOf(`${kind}:${String(value)}`);
  if (known || (kind !== 'status' && kind !== 'reply') || value < 400 || value > 599) return known;
  const verdict = value < 500 === (kind === 'status') ? is.invalidInput : kind === 'reply' ? is.unavailable : is.brokenServer;
  return { verdict, weight: kind === 'status' ? is.status : is.answer };
}

/** A code that is in a table, by itself or by its family. */
export function listedCode(code: string): Entry | undefined {
  const known = meaningOf(code);
  if (known) return known;
  for (const [family, verdict] of systemFamilies) if (family.test(code)) return { verdict, weight: is.system };
  return meaningOf(/^SQLITE_[A-Z]+(?=_)/.exec(code)?.[0] ?? '');
}

/** What a client detects by itself, as opposed to what a service reports. */
const clientCategories: RegExp = /^(?:network|timeout|cancelled)$/;

/** Codes of systems that nothing else uses. */
const ownFamilies = /^(?:ER_|ERR_|UND_ERR_|SQLITE_|WS_ERR_|ORA-|Neo\.)/;

/** Names that services and their clients give these failures. */
const usual =
  /^(?:api |server |request )?(?:throttl\w+|too many requests|(?:[\w/]+ ){0,2}rate ?(?:limit(?:ed)?(?: exceeded| reached)?|exceeded)|slow down|(?:service |server |temporarily |site )?(?:unavailable|busy|overloaded)|provisioned throughput exceeded|request limit exceeded|internal(?: server)?|server|deadlock(?: detected| found)?|write conflict|serialization failure|lock (?:timeout|wait timeout|not available)|transaction conflict)(?: (?:error|exception|fault))?$/;

function entryFromWords(symbol: string, code: string): Entry | undefined {
  const phrase = phraseIn(symbol);
  if (!phrase) return undefined;
  const { verdict, isVague } = phrase;
  return {
    verdict,
    weight: isVague ? is.general : clientCategories.test(verdict.category) ? is.name : is.answer,
    byWords: !clientCategories.test(verdict.category) && !ownFamilies.test(code) && !usual.test(wordsOf(symbol)),
  };
}

/** The codes of gRPC in any spelling: `permission-denied`, `firestore/aborted`. */
function rpcEntry(code: string): Entry | undefined {
  const name = code
    .slice(code.indexOf('/') + 1)
    .toUpperCase()
    .replaceAll('-', '_');
  const number = numbered.grpcNames.indexOf(name) + 1;
  return name === code || number === 0 ? undefined : (meaningOf(name) ?? meaningOf(`grpc:${String(number)}`));
}

/** A code that only names the library. */
export function isMeaningless(code: string | number): boolean {
  return emptyCodes.test(String(code));
}

const memoryLimit = 500;
const remembered = /* @__PURE__ */ new Map<string, Entry | undefined>();

/** The meaning of a code, from a table or from the words in it. */
export function codeEntry(code: string): Entry | undefined {
  const listed = meaningOf(code);
  if (listed) return listed;
  if (!remembered.has(code)) {
    if (remembered.size >= memoryLimit) remembered.clear();
    remembered.set(code, unlistedEntry(code));
  }
  return remembered.get(code);
}

function unlistedEntry(code: string): Entry | undefined {
  if (emptyCodes.test(code) || code.includes('://')) return undefined;
  const bare = code.slice(Math.max(code.lastIndexOf('#'), code.lastIndexOf('.')) + 1);
  const fault = /^[\w-]{1,12}:(\w{2,40})$/.exec(bare)?.[1];
  if (fault !== undefined) return meaningOf(`fault:${fault}`) ?? unlistedEntry(fault);
  const sqlClass = /^(?=.*\d)([\dA-Z]{2})[\dA-Z]{3}$/.exec(bare)?.[1];
  // `Throttling.User`: where the end says nothing, its family does.
  return (
    listedCode(bare) ??
    rpcEntry(bare) ??
    (sqlClass === undefined ? undefined : meaningOf(`sql:${sqlClass}`)) ??
    entryFromWords(bare, code) ??
    (bare === code ? undefined : unlistedEntry(code.slice(0, -bare.length - 1)))
  );
}

/** The classes of the language: their names do not say who made an error. */
export const plainName: RegExp =
  /^(?:(?:Aggregate|Type|Range|Reference|Syntax|Eval|URI)?Error|Object|Array|Function|String|Number|Map|Set|Promise|Response)$/;

/** The meaning of a class name: that of the words in it, weighed as a name unless services use it for their errors. */
export function nameEntry(name: string, isServiceName: boolean): Entry | undefined {
  if (plainName.test(name)) return /^[^A].*.Error$/.test(name) ? { verdict: is.bug, weight: is.fallback } : undefined;
  const entry = codeEntry(name);
  if (!entry || isServiceName) return entry;
  return { ...entry, weight: entry.weight === is.general ? is.fallback : is.name };
}
