/** `holdfast lock`: trusts the definitions that the servers offer now, once somebody has seen them. */
import {
  compareLocks,
  type LockDifference,
  readLock,
  type SurveyedServer,
  surveyServers,
  type ToolLock,
  writeLock,
} from '@holdfast/gateway';
import type { Action } from '../action.ts';
import { type GlobalOptions, displayed, loadConfig } from '../config.ts';
import { lockNow } from '../doctor/lock.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { cleanLines, type Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';

interface LockOptions extends GlobalOptions {
  readonly write?: boolean;
  readonly output: 'auto' | 'json';
}

export const act: Action<undefined, LockOptions> = async (_none, options, console) => {
  const manifest = await loadConfig(options, console);
  const { lockFile } = manifest.gateway;
  const before = await locked(lockFile);
  const servers = await surveyServers(manifest);
  for (const { name, error } of servers)
    if (error) console.warning(`server '${name}' does not answer: ${error.message} What the file says of it stays.`);
  const after = mergeLock(before, servers, new Set(Object.keys(manifest.mcpServers)));
  const differences = compareLocks(before, after);
  for (const difference of differences) printSurvey(difference, servers, options.output, console);
  if (differences.length === 0) return finish(`${displayed(lockFile)} is as the servers are.`, console);
  if (options.write !== true) {
    console.note(`\nNothing was written. To trust these definitions: ${programName()} lock --write`);
    return exitCodes.failed;
  }
  await writeLock(lockFile, after);
  return finish(`\n wrote  ${displayed(lockFile)}`, console);
};

function finish(text: string, { note }: Console): number {
  note(text);
  return exitCodes.ok;
}

async function locked(path: string): Promise<ToolLock> {
  try {
    return (await readLock(path)) ?? { version: 1, servers: {} };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** What the servers offer now; of those that did not answer, what was known. Servers that the manifest has no more are forgotten. */
function mergeLock(before: ToolLock, servers: readonly SurveyedServer[], names: ReadonlySet<string>): ToolLock {
  const answered = servers.filter(({ error }) => error === undefined);
  const silent = Object.entries(before.servers).filter(([name]) => names.has(name) && answered.every((server) => server.name !== name));
  return { version: 1, servers: { ...Object.fromEntries(silent), ...lockNow(answered).servers } };
}

const marks: Readonly<Record<LockDifference['kind'], string>> = { added: '+', removed: '-', changed: '~' };

function printSurvey(
  { kind, server, toolName: tool }: LockDifference,
  servers: readonly SurveyedServer[],
  output: LockOptions['output'],
  { out }: Console,
): void {
  const definition = servers.find(({ name }) => name === server)?.tools.find((each) => each['name'] === tool);
  if (output === 'json') return out.line(JSON.stringify({ kind, server, tool, ...(definition === undefined ? {} : { definition }) }));
  out.line(`${marks[kind]} ${cleanLines(`${server} ${tool}`)}`);
  // What a model would read is what has to be reviewed, the whole of it.
  const description = definition?.['description'];
  if (typeof description === 'string') for (const line of description.split('\n')) out.line(`    ${cleanLines(line)}`);
  const shown = definition && { input: definition['inputSchema'], annotations: definition['annotations'] };
  if (shown) out.line(`    ${cleanLines(JSON.stringify(shown))}`);
}
