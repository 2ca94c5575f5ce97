/**
 * Owns creating MCP servers from a manifest.
 *
 * Invariant: a server is created when it is first requested, and nothing is started before.
 */
import { checkRule } from '@holdfast/core/internal/plain';
import { resolve } from 'node:path';
import { type McpServer, mcpServer, type McpServerOptions, type RequestAuthorizer } from '@holdfast/runners';
import type { McpOfferEntry, McpServerEntry } from './entries/upstream.ts';
import type { Manifest } from './manifest.ts';

/** The MCP servers of a manifest. */
export interface Servers {
  /** Returns the server with this name, or `undefined` if there is none. The server connects when a call needs it. */
  get(name: string): McpServer | undefined;
  /** Closes all servers that `get` has created. Never rejects. */
  close(): Promise<void>;
}

/** Returns what adds the credentials of a server with `auth`. */
export type AuthorizerOf = (name: string, entry: McpServerEntry) => RequestAuthorizer | undefined;

export function lazyServers(manifest: Manifest, baseDir: string = manifest.folder, authorizerOf?: AuthorizerOf): Servers {
  const started = new Map<string, McpServer>();
  const start = (name: string): McpServer | undefined => {
    const entry = Object.hasOwn(manifest.mcpServers, name) ? manifest.mcpServers[name] : undefined;
    if (!entry) return undefined;
    const authorizer = started.has(name) ? undefined : authorizerOf?.(name, entry);
    const options = { ...mcpServerOptions(name, entry, baseDir), ...(authorizer === undefined ? {} : { authorizer }) };
    const server = started.get(name) ?? mcpServer(options);
    started.set(name, server);
    return server;
  };
  return {
    get: start,
    close: async () => void (await Promise.allSettled([...started.values()].map(async (server) => server.close()))),
  };
}

/** The fields about offering a server's tools, not about the server; and `auth`, which the owner of the credentials turns into an authorizer. */
const offer: Readonly<Record<keyof McpOfferEntry | 'auth', true>> = {
  auth: true,
  prefix: true,
  include: true,
  exclude: true,
  defaults: true,
  tools: true,
  expose: true,
  trustAnnotations: true,
  idleTimeoutMs: true,
  isolation: true,
};

/** The options of `mcpServer` for a server of a manifest. Its program is resolved against `baseDir` and runs there unless it has a `cwd`. */
export function mcpServerOptions(name: string, entry: McpServerEntry, baseDir: string): McpServerOptions {
  for (const [field, value] of Object.entries({ name, baseDir })) checkRule('string', value, `mcpServerOptions: ${field}`);
  checkRule('object', entry, 'mcpServerOptions: entry');
  const options: McpServerOptions = Object.fromEntries(Object.entries(entry).filter(([field]) => !Object.hasOwn(offer, field)));
  if (options.command === undefined) return { name, ...options };
  return { name, cwd: baseDir, ...options, command: programIn(baseDir, options.command) };
}

/** `./tool.sh` is relative to the manifest; a bare name is looked up in `PATH`. */
export const programIn = (folder: string, command: string): string => (/^\.{1,2}[/\\]/.test(command) ? resolve(folder, command) : command);
