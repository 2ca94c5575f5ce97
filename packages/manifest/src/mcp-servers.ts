/**
 * Owns the making of MCP servers from a manifest.
 *
 * Invariant: a server exists once a call has asked for it; nothing is started before.
 */
import { resolve } from 'node:path';
import { type McpServer, mcpServer, type McpServerOptions } from '@holdfast/runners';
import type { McpOfferEntry, McpServerEntry } from './entries/upstream.ts';
import type { Manifest } from './manifest.ts';

/** The MCP servers of a manifest. */
export interface Servers {
  /** Returns the server with this name, or `undefined` if there is none. The server connects when a call needs it. */
  get(name: string): McpServer | undefined;
  /** Closes all servers that `get` has created. Never rejects. */
  close(): Promise<void>;
}

export function lazyServers(manifest: Manifest, baseDir: string = manifest.folder): Servers {
  const started = new Map<string, McpServer>();
  const start = (name: string): McpServer | undefined => {
    const entry = Object.hasOwn(manifest.mcpServers, name) ? manifest.mcpServers[name] : undefined;
    if (!entry) return undefined;
    const server = started.get(name) ?? mcpServer(mcpServerOptions(name, entry, baseDir));
    started.set(name, server);
    return server;
  };
  return {
    get: start,
    close: async () => void (await Promise.allSettled([...started.values()].map(async (server) => server.close()))),
  };
}

/** What concerns the offer of a server's tools, not the server itself. */
const offer: Readonly<Record<keyof McpOfferEntry, true>> = {
  prefix: true,
  include: true,
  exclude: true,
  defaults: true,
  tools: true,
  expose: true,
  trustAnnotations: true,
  idleTimeoutMs: true,
};

/** What `mcpServer` needs to start or reach a server of a manifest. Its program is looked for, and runs, in `baseDir` unless it says otherwise. */
export function mcpServerOptions(name: string, entry: McpServerEntry, baseDir: string): McpServerOptions {
  const options: McpServerOptions = Object.fromEntries(Object.entries(entry).filter(([field]) => !Object.hasOwn(offer, field)));
  if (options.command === undefined) return { name, ...options };
  return { name, cwd: baseDir, ...options, command: programIn(baseDir, options.command) };
}

/** `./tool.sh` is beside the manifest; a bare name is found through `PATH`. */
export const programIn = (folder: string, command: string): string => (/^\.{1,2}[/\\]/.test(command) ? resolve(folder, command) : command);
