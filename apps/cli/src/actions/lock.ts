/** `holdfast lock`: shows the tool definitions that the servers offer now, and accepts them with `--write`. */
import { compareLocks, type LockDifference, readLock, type CheckedServer, checkServers, type ToolLock, writeLock } from '@holdfast/gateway';
import type { Action } from '../action.ts';
import { type GlobalOptions, displayPath, loadConfig } from '../config.ts';
import { currentLock } from '../doctor/lock.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { cleanLines, type Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';

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
    if (error) console.warn(`server '${name}' does not respond: ${error.message} Its entries in the lock file are kept.`);
  const after = mergeLock(before, servers, new Set(Object.keys(manifest.mcpServers)));
  const differences = compareLocks(before, after);
  for (const difference of differences) printDifference(difference, { before, after }, options.output, console);
  if (differences.length === 0) return finish(`${displayPath(lockFile)} matches the servers.`, console);
  if (options.write !== true) {
    console.note(`\nNothing was written. To accept these definitions: ${programName()} lock --write`);
    return exitCodes.failed;
  }
  await writeLock(lockFile, after);
  return finish(`\n wrote  ${displayPath(lockFile)}`, console);
};

function finish(text: string, { note }: Console): number {
  note(text);
  return exitCodes.ok;
}

async function readLockFile(path: string): Promise<ToolLock> {
  try {
    return (await readLock(path)) ?? { version: 1, servers: {} };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The definitions that the servers offer now. A server that did not respond keeps its entries; a server that left the manifest loses them. */
function mergeLock(before: ToolLock, servers: readonly CheckedServer[], names: ReadonlySet<string>): ToolLock {
  const responding = servers.filter(({ error }) => error === undefined);
  const unchanged = Object.entries(before.servers).filter(
    ([name]) => names.has(name) && responding.every((server) => server.name !== name),
  );
  const kept = Object.fromEntries(unchanged);
  const keptDefinitions = Object.fromEntries(Object.entries(before.definitions ?? {}).filter(([name]) => name in kept));
  const now = currentLock(responding);
  return { version: 1, servers: { ...kept, ...now.servers }, definitions: { ...keptDefinitions, ...now.definitions } };
}

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
  const { description, title, inputSchema, outputSchema, annotations } = definition;
  const texts = [title, description].flatMap((text) => (typeof text === 'string' ? text.split('\n') : []));
  const parts = Object.entries({ input: inputSchema, output: outputSchema, annotations }).flatMap(([name, part]) =>
    part === undefined ? [] : [`${name}: ${JSON.stringify(part)}`],
  );
  return [...texts, ...parts].map((line) => cleanLines(line));
}
