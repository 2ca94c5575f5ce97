/**
 * Owns the decision of the lock file about the tools, prompts and resources that a server lists: trusted on first use, then only while unchanged.
 *
 * Invariants
 * 1. The first non-empty list of a kind is recorded. After that, no change is trusted automatically, except a new entry in mode `warn`. A new resource is offered
 *    in both modes and not recorded: it is data, which comes and goes.
 * 2. Only what a server itself lists is recorded: a remembered list is compared, but never trusted.
 * 3. Before each check the file is read again if it has changed, so changes by others apply and are kept. A file that has become invalid is reported and not
 *    overwritten.
 * 4. What a server lists is processed in slices, and bounded: neither the file nor the notes grow with every list.
 */
import { basename } from 'node:path';
import { Pauses } from '@holdfast/mcp-wire/client';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { CatalogNote } from './entry.ts';
import { describeEntry, kindOfEntry, markerOf, type PartKind, partKinds } from './locked-parts.ts';
import { actedOn, hashDefinition, hashOf, readLock, replaceLock, type ToolLock } from './lock-file.ts';
import { fileState } from '../plain/large-files.ts';

export interface ToolGuardOptions {
  readonly mode: 'off' | 'warn' | 'block';
  /** Absolute path. */
  readonly file: string;
  /** Decides in the same way, and records nothing. @default false */
  readonly isReadOnly?: boolean;
}

interface GuardVerdict {
  /** Why a tool is not offered, by the server's name of the tool. */
  readonly withheld: ReadonlyMap<string, string>;
  readonly notes: readonly CatalogNote[];
}

export interface ToolGuard {
  /** Checks a list of a server, as `lockedParts` returns it, and records it on first use. Never rejects. */
  check(server: string, tools: readonly JsonObject[], kind?: PartKind): Promise<GuardVerdict>;
  /** Checks a list from an earlier start, and records nothing. Never rejects. */
  compare(server: string, tools: readonly JsonObject[]): Promise<GuardVerdict>;
}

const empty: ToolLock = { version: 1, servers: {} };
const nothing: GuardVerdict = { withheld: new Map(), notes: [] };

/** A server has no more entries in the file. */
const maxEntries = 40_000;
/** Further differences of a server are counted. */
const maxNotes = 50;

/** The options are read for each check. Rejects with `LOCK_FILE_BROKEN` for a file that cannot be read. */
export async function openToolGuard(options: () => ToolGuardOptions): Promise<ToolGuard> {
  const { mode: firstMode, file: firstFile } = options();
  const known = new LastLock();
  if (firstMode !== 'off') await known.read(firstFile);
  let queue: Promise<unknown> = Promise.resolve();
  /** Servers that are new to the file: everything of them is, which needs no message. */
  const added = new Set<string>();

  const decide = async ({ server, tools, records, kind }: Question): Promise<GuardVerdict> => {
    const { mode, file, isReadOnly = false } = options();
    if (mode === 'off') return nothing;
    const faults: CatalogNote[] = [];
    const noteFault = (error: unknown): unknown => faults.push(describeWriteFailure(server, error));
    await known.read(file).catch(noteFault);
    const { servers } = known.lock;
    const entries = Object.hasOwn(servers, server) ? servers[server] : undefined;
    if (entries === undefined) added.add(server);
    const { fresh, ...verdict } = await compare({ mode, file, server, records, known: entries, kind, isAdded: added.has(server) }, tools);
    if (fresh.length > 0 && !isReadOnly) {
      const lock = await withAdded(known.lock, server, fresh);
      if (faults.length > 0) known.lock = lock;
      else await known.write(file, lock).catch(noteFault);
    }
    return { ...verdict, notes: [...verdict.notes, ...faults] };
  };

  const inTurn = (question: Question): Promise<GuardVerdict> => {
    const deciding = queue.then(() => decide(question));
    queue = deciding.catch(() => undefined);
    return deciding;
  };
  return {
    check: (server, tools, kind) => inTurn({ server, tools, records: true, kind }),
    compare: (server, tools) => inTurn({ server, tools, records: false, kind: undefined }),
  };
}

/** The content of the file when it was last read or written. */
class LastLock {
  lock: ToolLock = empty;
  #state: string | undefined;

  /** Rejects for a file that cannot be read: its last content stays. */
  async read(file: string): Promise<void> {
    const state = `${file} ${await fileState(file)}`;
    if (state === this.#state) return;
    this.#state = undefined;
    this.lock = (await readLock(file)) ?? empty;
    this.#state = state;
  }

  /** It applies even if it cannot be written. */
  async write(file: string, lock: ToolLock): Promise<void> {
    this.lock = lock;
    this.#state = undefined;
    this.#state = `${file} ${await replaceLock(file, lock)}`;
  }
}

interface Question {
  readonly server: string;
  readonly tools: readonly JsonObject[];
  readonly records: boolean;
  /** What is on the list; `undefined`: tools and instructions. */
  readonly kind: PartKind | undefined;
}

interface Comparison extends Pick<Question, 'kind'> {
  readonly mode: 'warn' | 'block';
  readonly file: string;
  readonly server: string;
  /** Whether new definitions may be recorded. */
  readonly records: boolean;
  /** The server was not in the file when this process first saw it. */
  readonly isAdded: boolean;
  /** `undefined` for a server that is not in the file. */
  readonly known: Readonly<Record<string, string>> | undefined;
}

/** A definition to record. */
interface Fresh {
  readonly name: string;
  readonly definition: JsonObject;
  readonly hash: string;
}

async function compare(
  { mode, file, server, records, known, kind, isAdded }: Comparison,
  tools: readonly JsonObject[],
): Promise<GuardVerdict & { readonly fresh: readonly Fresh[] }> {
  const fresh: Fresh[] = [];
  const withheld = new Map<string, string>();
  const notes: CatalogNote[] = [];
  const pauses = new Pauses();
  const isFirst = isFirstList(known, kind);
  if (kind !== undefined && isFirst && records && tools.length > 0) {
    const marker = markerOf(kind);
    fresh.push({ name: String(marker['name']), definition: marker, hash: hashDefinition(marker) });
    if (!isAdded) notes.push({ kind: 'lock_new', server, message: describeFirst(server, kind, tools.length, file) });
  }
  let room = maxEntries - Object.keys(known ?? {}).length;
  for (const definition of tools) {
    if (pauses.isDue) await pauses.pause();
    const tool = String(definition['name']);
    const hash = hashDefinition(definition);
    const locked = hashOf(known, tool);
    if (locked === hash) continue;
    const isNew = locked === undefined;
    if (isNew && !isFirst && kind === 'resources') continue;
    const isTrusted = isNew && (isFirst || mode === 'warn');
    const isRecorded = isTrusted && records && room > 0;
    if (isRecorded) {
      room -= 1;
      fresh.push({ name: tool, definition: actedOn(definition), hash });
    }
    if (isFirst || (isTrusted && !records)) continue;
    const message = describeDifference({ server, tool, hash, file, isNew, isBlocked: mode === 'block', isRecorded });
    notes.push({ kind: isNew ? 'lock_new' : 'lock_changed', message, server, toolName: tool });
    if (mode === 'block') withheld.set(tool, message);
  }
  return { withheld, fresh, notes: notes.length > maxNotes ? [...notes.slice(0, maxNotes), describeRest(server, notes, file)] : notes };
}

function describeRest(server: string, { length }: readonly CatalogNote[], file: string): CatalogNote {
  const message = `Server '${server}' offers ${length - maxNotes} more definitions that differ from ${basename(file)}. To see them: holdfast lock.`;
  return { kind: 'lock_changed', server, message };
}

/** Whether the file has nothing of the kind from this server: it is new, had none of them, or the file is of a version that did not lock them. */
function isFirstList(known: Comparison['known'], kind: PartKind | undefined): boolean {
  if (known === undefined) return true;
  if (kind !== undefined) return hashOf(known, partKinds[kind].marker) === undefined;
  const entries = Object.keys(known);
  return entries.length > 0 && entries.every((name) => kindOfEntry(name) !== undefined);
}

function describeFirst(server: string, kind: PartKind, count: number, file: string): string {
  const { one, many } = partKinds[kind];
  return `Server '${server}' offers ${count} ${count === 1 ? one : many} that ${count === 1 ? 'was' : 'were'} not locked yet: added to ${basename(file)}.`;
}

function describeWriteFailure(server: string, error: unknown): CatalogNote {
  return { kind: 'lock_broken', server, message: String((error as { readonly message?: unknown }).message ?? error) };
}

/** The entries of the server are extended in place: with ten thousands of them, a copy takes long. */
async function withAdded({ servers, definitions }: ToolLock, server: string, fresh: readonly Fresh[]): Promise<ToolLock> {
  const pauses = new Pauses();
  const ownHashes: Record<string, string> = ownOf(servers, server);
  const ownTexts: Record<string, JsonObject> = ownOf(definitions ?? {}, server);
  for (const { name, definition, hash } of fresh) {
    if (pauses.isDue) await pauses.pause();
    setOwn(ownHashes, name, hash);
    setOwn(ownTexts, name, definition);
  }
  return { version: 1, servers: { ...servers, [server]: ownHashes }, definitions: { ...definitions, [server]: ownTexts } };
}

const ownOf = <Value>(servers: Readonly<Record<string, Readonly<Record<string, Value>>>>, server: string): Record<string, Value> =>
  (Object.hasOwn(servers, server) ? servers[server] : undefined) ?? {};

/** A tool may have any name, also `__proto__`. */
function setOwn<Value>(entries: Record<string, Value>, name: string, value: Value): void {
  Object.defineProperty(entries, name, { value, enumerable: true, configurable: true, writable: true });
}

interface Difference {
  readonly server: string;
  readonly tool: string;
  readonly hash: string;
  readonly file: string;
  readonly isNew: boolean;
  readonly isBlocked: boolean;
  readonly isRecorded: boolean;
}

function describeDifference({ server, tool, hash, file, isNew, isBlocked, isRecorded }: Difference): string {
  const name = basename(file);
  const what = isNew
    ? `Server '${server}' offers a ${describeEntry(tool)} that is not in ${name}`
    : `The definition of ${describeEntry(tool)} of server '${server}' differs from the one in ${name}`;
  const then = isBlocked ? 'it is not offered' : isRecorded ? 'it has been added' : 'it is still offered (tool_lock: warn)';
  const hint =
    isNew && !isBlocked
      ? ''
      : ` To see what has changed and accept it: holdfast lock. Or set "${tool}": "${hash}" under servers.${server} in ${file}, or delete the server there to trust its current tools.`;
  return `${what}: ${then}.${hint}`;
}
