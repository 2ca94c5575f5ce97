/**
 * Owns the lock file: the trusted definition of each tool, prompt and resource of each server, and its hash, which decides.
 *
 * Invariants
 * 1. The hash covers everything that models and clients act on: name, title, description, schemas, annotations; of a prompt its arguments, of a resource its
 *    type. The order of keys has no effect.
 * 2. The file is replaced atomically; a file that cannot be read is never overwritten.
 */
import { createHash } from 'node:crypto';
import { Pauses } from '@holdfast/mcp-wire/client';
import { isJsonObject, type JsonObject, largeJsonChars, readLargeJson } from '@holdfast/mcp-wire/server';
import { readText, replaceFile } from '../plain/large-files.ts';
import { canonicalJson } from './canonical-json.ts';
import { kindOfEntry } from './locked-parts.ts';

/** Hashes by server, then by the server's own name of the tool. A prompt is `(prompt) name`, a resource `(resource) uri`; see `lockedParts`. */
export type LockedServers = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The content of the lock file: the definitions of tools that were accepted, as hashes. */
export interface ToolLock {
  /** Version of the format. */
  readonly version: 1;
  /** Hash of each accepted definition (`sha256-` and 64 hexadecimal digits), by server and by tool. */
  readonly servers: LockedServers;
  /** The accepted definitions themselves, so that a change can be shown; absent in files of earlier versions. */
  readonly definitions?: LockedDefinitions;
}

/** Definitions by server and by tool. */
export type LockedDefinitions = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** A tool that a lock is made from. */
export interface LockedTool {
  /** Name of the server in the manifest. */
  readonly server: string;
  /** The definition as listed by the server. */
  readonly definition: JsonObject;
}

/** A tool whose definition differs between two locks. */
export interface LockDifference {
  /** `added`: only the second lock has the tool. `removed`: only the first has it. `changed`: the hashes differ. */
  readonly kind: 'added' | 'removed' | 'changed';
  /** Name of the server in the manifest. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly toolName: string;
}

/** Deeper definitions are refused when a server lists them. */
const maxDepth = 200;

const hashedFields = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;
/** A prompt or resource has only these. */
const fieldsOfParts = ['name', 'label', 'title', 'description', 'mimeType', 'arguments', 'annotations'] as const;

const fieldsOf = ({ name }: JsonObject): readonly string[] =>
  typeof name === 'string' && kindOfEntry(name) !== undefined ? fieldsOfParts : hashedFields;

export function hashDefinition(definition: JsonObject): string {
  const acted = Object.fromEntries(fieldsOf(definition).map((field) => [field, definition[field]]));
  return `sha256-${createHash('sha256').update(canonicalJson(acted)).digest('hex')}`;
}

/** The fields that the hash covers. */
export const actedOn = (definition: JsonObject): JsonObject =>
  Object.fromEntries(fieldsOf(definition).flatMap((field) => (definition[field] === undefined ? [] : [[field, definition[field]]])));

/** Returns the lock for these tools, with the hash of each definition. */
export function lockOf(tools: readonly LockedTool[]): ToolLock {
  const servers: Record<string, Record<string, string>> = Object.create(null) as Record<string, Record<string, string>>;
  const definitions: Record<string, Record<string, JsonObject>> = Object.create(null) as Record<string, Record<string, JsonObject>>;
  for (const { server, definition } of tools) {
    servers[server] ??= Object.create(null) as Record<string, string>;
    definitions[server] ??= Object.create(null) as Record<string, JsonObject>;
    servers[server][String(definition['name'])] = hashDefinition(definition);
    definitions[server][String(definition['name'])] = actedOn(definition);
  }
  return { version: 1, servers, definitions };
}

/** Returns what differs between two locks, ordered by server and tool. */
export function compareLocks(before: ToolLock, after: ToolLock): readonly LockDifference[] {
  const servers = new Set([...Object.keys(before.servers), ...Object.keys(after.servers)]);
  return [...servers].toSorted().flatMap((server) => {
    const [old, now] = [before.servers[server] ?? {}, after.servers[server] ?? {}];
    const tools = new Set([...Object.keys(old), ...Object.keys(now)]);
    return [...tools].toSorted().flatMap((tool): LockDifference[] => {
      const [was, is] = [hashOf(old, tool), hashOf(now, tool)];
      if (was === is) return [];
      return [{ kind: was === undefined ? 'added' : is === undefined ? 'removed' : 'changed', server, toolName: tool }];
    });
  });
}

/** Tools may have the name of a property of `Object.prototype`. */
export const hashOf = (tools: Readonly<Record<string, string>> | undefined, tool: string): string | undefined =>
  tools !== undefined && Object.hasOwn(tools, tool) ? tools[tool] : undefined;

/** Resolves with `undefined` if there is no file. Rejects with `LOCK_FILE_BROKEN` for a file that cannot be read. */
export async function readLock(path: string): Promise<ToolLock | undefined> {
  let source: string;
  try {
    source = await readText(path);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
    throw brokenLock(path, (error as Error).message);
  }
  return parseLock(path, source.startsWith('\uFEFF') ? source.slice(1) : source);
}

async function parseLock(path: string, source: string): Promise<ToolLock> {
  const lock = await parseJson(path, source);
  if (!isJsonObject(lock)) throw brokenLock(path, 'it is not an object');
  if (lock['version'] !== 1)
    throw brokenLock(path, `its version is ${JSON.stringify(lock['version']) ?? 'missing'}, but only 1 is supported`);
  const servers = lock['servers'];
  if (!isJsonObject(servers)) throw brokenLock(path, "'servers' is not an object");
  const pauses = new Pauses();
  for (const [server, tools] of Object.entries(servers)) {
    if (!isJsonObject(tools)) throw brokenLock(path, `'servers.${server}' is not an object`);
    for (const tool of Object.keys(tools)) {
      if (pauses.isDue) await pauses.pause();
      const hash = tools[tool];
      if (typeof hash !== 'string' || !/^sha256-[0-9a-f]{64}$/.test(hash))
        throw brokenLock(path, `'servers.${server}.${tool}' is not a hash (sha256- and 64 hexadecimal digits)`);
    }
  }
  const definitions = lock['definitions'];
  return {
    version: 1,
    servers: servers as LockedServers,
    ...(isJsonObject(definitions) ? { definitions: definitions as LockedDefinitions } : {}),
  };
}

async function parseJson(path: string, source: string): Promise<unknown> {
  if (source.length >= largeJsonChars) {
    const read = await readLargeJson(source, maxDepth);
    if (read.problem === undefined) return read.value;
    throw brokenLock(path, read.problem === 'too_large' ? `it ${read.reason}` : 'it is not JSON');
  }
  try {
    return JSON.parse(source) as unknown;
  } catch (error) {
    throw brokenLock(path, (error as Error).message);
  }
}

function brokenLock(path: string, why: string): Error {
  const hint = 'Fix it, restore it from version control, or delete it to trust the current tools of the servers.';
  return Object.assign(new Error(`The lock file ${path} cannot be read: ${why}. ${hint}`), { code: 'LOCK_FILE_BROKEN', retryable: false });
}

/** Writes the lock file, sorted by server and tool. Replaces an existing file as a whole and creates missing folders. Rejects with `LOCK_FILE_UNWRITABLE`. */
export async function writeLock(path: string, lock: ToolLock): Promise<void> {
  await replaceLock(path, lock);
}

/** The same. Resolves with the state of the file, as `fileState` returns it. */
export async function replaceLock(path: string, { servers, definitions = {} }: ToolLock): Promise<string> {
  return replaceFile(path, lockText(servers, definitions)).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    const hint = 'Make its folder writable, name another file (gateway.lock_file), or turn the lock off (gateway.tool_lock: off).';
    const text = `The lock file ${path} cannot be written (${code ?? message}). ${hint}`;
    throw Object.assign(new Error(text, { cause: error }), { code: 'LOCK_FILE_UNWRITABLE' });
  });
}

type Section = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** As `JSON.stringify` with two spaces, in parts. */
async function* lockText(servers: Section, definitions: Section): AsyncGenerator<string> {
  yield '{\n  "version": 1,\n  "servers": ';
  yield* sectionText(servers);
  yield ',\n  "definitions": ';
  yield* sectionText(definitions);
  yield '\n}\n';
}

async function* sectionText(section: Section): AsyncGenerator<string> {
  const pauses = new Pauses();
  let separator = '{';
  for (const server of Object.keys(section).toSorted()) {
    yield `${separator}\n    ${JSON.stringify(server)}: `;
    separator = ',';
    const tools = section[server] ?? {};
    let inner = '{';
    for (const tool of Object.keys(tools).toSorted()) {
      if (pauses.isDue) await pauses.pause();
      const value = JSON.stringify(tools[tool], undefined, 2).replaceAll('\n', '\n      ');
      yield `${inner}\n      ${JSON.stringify(tool)}: ${value}`;
      inner = ',';
    }
    yield inner === '{' ? '{}' : '\n    }';
  }
  yield separator === '{' ? '{}' : '\n  }';
}
