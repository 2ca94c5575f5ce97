/** `holdfast lock`: shows the tools, prompts and resources that the servers offer now, and accepts them with `--write`. */
import {
  compareLocks,
  isMarker,
  kindOfEntry,
  type LockDifference,
  readLock,
  type CheckedServer,
  checkServers,
  type ToolLock,
  writeLock,
} from '@holdfast/gateway';
import type { Action } from '../action.ts';
import { type GlobalOptions, displayPath, loadConfig } from '../config.ts';
import { currentLock } from '../doctor/lock.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { cleanLines, type Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';
import { downReason } from '../doctor/down-reason.ts';

interface LockOptions extends GlobalOptions {
  readonly write?: boolean;
  readonly output: 'auto' | 'json';
}

export const execute: Action<undefined, LockOptions> = async (_none, options, console) => {
  const manifest = await loadConfig(options, console);
  const { lockFile } = manifest.gateway;
  const before = await readLockFile(lockFile);
  const servers = await checkServers(manifest);
  for (const { name, error } of servers)
    if (error)
      console.warn(`server '${name}' cannot be checked: ${downReason(name, error.message)}. Its entries in the lock file are kept.`);
  const after = mergeLock(before, servers, new Set(Object.keys(manifest.mcpServers)));
  const all = compareLocks(before, after);
  const differences = all.filter(({ toolName }) => !isMarker(toolName));
  for (const difference of differences) printDifference(difference, { before, after }, options.output, console);
  if (differences.length === 0) {
    if (options.write === true && all.length > 0) await writeLockFile(lockFile, after);
    return finish(`${displayPath(lockFile)} matches the servers.`, console);
  }
  if (options.write !== true) {
    console.note(`\nNothing was written. To accept these definitions: ${programName()} lock --write`);
    return exitCodes.failed;
  }
  await writeLockFile(lockFile, after);
  return finish(`\n wrote  ${displayPath(lockFile)}`, console);
};

function finish(text: string, { note }: Console): number {
  note(text);
  return exitCodes.ok;
}

async function writeLockFile(path: string, lock: ToolLock): Promise<void> {
  try {
    await writeLock(path, lock);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function readLockFile(path: string): Promise<ToolLock> {
  try {
    return (await readLock(path)) ?? { version: 1, servers: {} };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * The definitions that the servers offer now. A server that did not respond keeps its entries, and so does a list that could not be read; a server that left the
 * manifest loses them.
 */
function mergeLock(before: ToolLock, servers: readonly CheckedServer[], names: ReadonlySet<string>): ToolLock {
  const responding = servers.filter(({ error }) => error === undefined);
  const isKept = (server: string, entry: string): boolean => {
    const now = responding.find(({ name }) => name === server);
    const kind = kindOfEntry(entry);
    return names.has(server) && (now === undefined || (kind !== undefined && now.lists[kind] === undefined));
  };
  const now = currentLock(responding);
  const merge = <Value>(old: Entries<Value> = {}, current: Entries<Value> = {}): Entries<Value> =>
    Object.fromEntries(
      [...new Set([...Object.keys(old), ...Object.keys(current)])].flatMap((server) => {
        const kept = Object.entries(old[server] ?? {}).filter(([entry]) => isKept(server, entry));
        const all = { ...Object.fromEntries(kept), ...current[server] };
        return Object.keys(all).length === 0 ? [] : [[server, all] as const];
      }),
    );
  return { version: 1, servers: merge(before.servers, now.servers), definitions: merge(before.definitions, now.definitions) };
}

type Entries<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>;

type JsonObject = Readonly<Record<string, unknown>>;

const marks: Readonly<Record<LockDifference['kind'], string>> = { added: '+', removed: '-', changed: '~' };

interface Locks {
  readonly before: ToolLock;
  readonly after: ToolLock;
}

/** Shows everything that a model would read, as it was accepted and as it is now: all of it needs review. */
function printDifference(
  { kind, server, toolName: tool }: LockDifference,
  locks: Locks,
  output: LockOptions['output'],
  { out }: Console,
): void {
  const [accepted, definition] = [locks.before, locks.after].map(({ definitions }) => definitions?.[server]?.[tool]);
  if (output === 'json')
    return out.writeLine(JSON.stringify({ kind, server, tool, ...(accepted ? { accepted } : {}), ...(definition ? { definition } : {}) }));
  out.writeLine(`${marks[kind]} ${cleanLines(`${server} ${tool}`)}`);
  const [old, now] = [shownLines(accepted), shownLines(definition)];
  if (kind === 'changed' && accepted === undefined) out.writeLine('    (the lock file has no text of the accepted definition)');
  const isBoth = kind === 'changed' && accepted !== undefined;
  if (isBoth) for (const line of old) if (!now.includes(line)) out.writeLine(`  - ${line}`);
  for (const line of kind === 'removed' ? old : now) out.writeLine(`${isBoth && !old.includes(line) ? '  + ' : '    '}${line}`);
}

function shownLines(definition: JsonObject | undefined): readonly string[] {
  if (definition === undefined) return [];
  const { label, description, title, inputSchema, outputSchema, annotations, arguments: args, mimeType } = definition;
  const texts = [label, title, description].flatMap((text) => (typeof text === 'string' ? text.split('\n') : []));
  const parts = Object.entries({ input: inputSchema, output: outputSchema, arguments: args, type: mimeType, annotations }).flatMap(
    ([name, part]) => (part === undefined ? [] : [`${name}: ${JSON.stringify(part)}`]),
  );
  return [...texts, ...parts].map((line) => cleanLines(line));
}
