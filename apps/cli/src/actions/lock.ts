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
  for (const difference of differences) printDifference(difference, servers, options.output, console);
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
  return { version: 1, servers: { ...Object.fromEntries(unchanged), ...currentLock(responding).servers } };
}

const marks: Readonly<Record<LockDifference['kind'], string>> = { added: '+', removed: '-', changed: '~' };

function printDifference(
  { kind, server, toolName: tool }: LockDifference,
  servers: readonly CheckedServer[],
  output: LockOptions['output'],
  { out }: Console,
): void {
  const definition = servers.find(({ name }) => name === server)?.tools.find((each) => each['name'] === tool);
  if (output === 'json') return out.writeLine(JSON.stringify({ kind, server, tool, ...(definition === undefined ? {} : { definition }) }));
  out.writeLine(`${marks[kind]} ${cleanLines(`${server} ${tool}`)}`);
  // Show everything that a model would read: all of it needs review.
  const description = definition?.['description'];
  if (typeof description === 'string') for (const line of description.split('\n')) out.writeLine(`    ${cleanLines(line)}`);
  const shown = definition && { input: definition['inputSchema'], annotations: definition['annotations'] };
  if (shown) out.writeLine(`    ${cleanLines(JSON.stringify(shown))}`);
}
