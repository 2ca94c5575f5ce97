/**
 * Owns checking every MCP server of a manifest once: whether it starts, its info and its tools.
 *
 * Invariants
 * 1. A server that fails, hangs or sends invalid messages is an entry of the result; it does not delay the others.
 * 2. Every started server is ended before the result is returned.
 */
import { checkOptions, period } from '@holdfast/core/internal/plain';
import { createRedactor, type Redactor } from '@holdfast/core';
import { type Manifest, type McpServerEntry, mcpServerOptions, serviceOptions } from '@holdfast/manifest';
import type { JsonObject, PageRequest, ServerHandshake } from '@holdfast/mcp-wire/client';
import { type McpServer, mcpServer } from '@holdfast/runners';
import { listTools } from '../catalog/list-tools.ts';
import { createServerAuth, type ServerAuth } from '../server-auth/server-auth.ts';
import { ServerLogins } from '../server-logins/server-logins.ts';
import { AccessRules } from '../access/access-rules.ts';
import { type ListedParts, partKinds, type PartKind } from '../catalog/locked-parts.ts';
import { defaultLimits } from '../relay/limits.ts';
import { listProtocol } from '../relay/list-kind.ts';
import { readEntries } from '../relay/read-list.ts';
import { clientCapabilities } from '../upstreams/held-server.ts';

/** What a check of one MCP server found. */
export interface CheckedServer {
  /** Name of the server in the manifest. */
  readonly name: string;
  /** The server's entry in the manifest. */
  readonly entry: McpServerEntry;
  /** Duration of the start including the handshake; `undefined` if the handshake failed. */
  readonly startMs: number | undefined;
  /** The server's answer to the handshake; `undefined` if it did not complete one. */
  readonly handshake: ServerHandshake | undefined;
  /** The tools as the server lists them. */
  readonly tools: readonly JsonObject[];
  /** Its prompts, resources and resource templates; a list that could not be read is absent. */
  readonly lists: ListedParts;
  /** Problems with its lists. */
  readonly flaws: readonly string[];
  /** Clients of the manifest that have no login of their own at the server, which keeps its clients apart. */
  readonly loginsMissing: readonly string[];
  /** Why the check failed, without secrets. */
  readonly error: { readonly code: string | undefined; readonly message: string } | undefined;
  /** The end of its standard error, without secrets. */
  readonly stderrTail: string | undefined;
}

/** Settings of a check of all servers. */
export interface CheckServersOptions {
  /** Called for each server as soon as its check has ended. */
  readonly onServer?: (server: CheckedServer) => void;
  /** Time limit for listing the tools, after the handshake. @default 15_000 */
  readonly listTimeoutMs?: number;
}

/** Returns the servers in the order of the manifest, without those that are not exposed. */
export async function checkServers(manifest: Manifest, options: CheckServersOptions = {}): Promise<readonly CheckedServer[]> {
  checkOptions({ listTimeoutMs: period, onServer: 'function' }, options, 'checkServers');
  const redact = createRedactor(serviceOptions(manifest).redact);
  const entries = Object.entries(manifest.mcpServers).filter(([, { expose }]) => expose);
  const auth = createServerAuth(manifest);
  const logins = loginsOf(manifest, auth, redact);
  const checks = Promise.all(
    entries.map(async ([name, entry]) => {
      const checked = await checkServer(name, entry, { manifest, redact, auth, logins, listTimeoutMs: options.listTimeoutMs ?? 15_000 });
      options.onServer?.(checked);
      return checked;
    }),
  );
  try {
    return await checks;
  } finally {
    await auth.close();
  }
}

/** No login is made here. */
function loginsOf(manifest: Manifest, auth: ServerAuth, redact: Redactor): ServerLogins {
  const rules = new AccessRules(manifest.gateway);
  return new ServerLogins({
    auth,
    redact,
    current: () => manifest,
    keepsApart: () => rules.keepsApart,
    mayCall: (token) => rules.ofName(token).roles.has('call'),
    address: () => undefined,
    hasPage: false,
    isLink: () => false,
  });
}

interface Scene {
  readonly manifest: Manifest;
  readonly redact: Redactor;
  readonly auth: ServerAuth;
  readonly logins: ServerLogins;
  readonly listTimeoutMs: number;
}

async function checkServer(
  name: string,
  entry: McpServerEntry,
  { manifest, redact, auth, logins, listTimeoutMs }: Scene,
): Promise<CheckedServer> {
  let server: McpServer | undefined;
  let handshake: ServerHandshake | undefined;
  let startMs: number | undefined;
  // Credentials that cannot be read are the error of the connection.
  const loginsMissing = await logins.missing(name, entry).catch(() => []);
  const resultWith = (found: Pick<CheckedServer, 'tools' | 'flaws' | 'error'> & Partial<Pick<CheckedServer, 'lists'>>): CheckedServer => {
    const tail = server?.status().stderrTail;
    return {
      name,
      entry,
      startMs,
      handshake,
      loginsMissing,
      lists: {},
      ...found,
      stderrTail: tail === undefined || tail === '' ? undefined : redact(tail),
    };
  };
  const startedAt = performance.now();
  try {
    const authorizer = auth.authorizer(name, entry);
    server = mcpServer({
      ...mcpServerOptions(name, entry, manifest.folder),
      clientCapabilities,
      ...(authorizer === undefined ? {} : { authorizer }),
    });
    handshake = await server.handshake();
    startMs = performance.now() - startedAt;
    const { tools, flaws } = await listTools(server.request, AbortSignal.timeout(listTimeoutMs));
    const { lists, problems } = await readLists(server, handshake, listTimeoutMs);
    return resultWith({ tools, lists, flaws: [...flaws, ...problems], error: undefined });
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    const codeText = typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
    const failure = { code: codeText, message: redact(typeof message === 'string' ? message : String(error)) };
    return resultWith({ tools: [], flaws: [], error: failure });
  } finally {
    await server?.close();
  }
}

/** The lists that the server declares; one that fails is a problem, and does not affect the others. */
async function readLists(
  server: McpServer,
  { capabilities }: ServerHandshake,
  listTimeoutMs: number,
): Promise<{ readonly lists: ListedParts; readonly problems: readonly string[] }> {
  const lists: Partial<Record<PartKind, readonly JsonObject[]>> = {};
  const problems: string[] = [];
  const limits = { ...defaultLimits, listMs: listTimeoutMs };
  for (const kind of Object.keys(partKinds) as PartKind[]) {
    const { capability, method } = listProtocol[kind];
    try {
      const isDeclared = capabilities[capability] !== undefined;
      const ask: PageRequest = (name, params) => server.request(name, params, { signal: AbortSignal.timeout(listTimeoutMs) });
      lists[kind] = isDeclared ? (await readEntries(ask, kind, limits)).entries : [];
    } catch (error) {
      problems.push(`it does not answer ${method}: ${String((error as { readonly message?: unknown }).message ?? error)}`);
    }
  }
  return { lists, problems };
}
