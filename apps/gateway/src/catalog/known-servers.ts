/**
 * Owns the known tools of each server, and refreshing them.
 *
 * Invariants
 * 1. One request per server at a time; a caller that arrives meanwhile gets the answer to the next request.
 * 2. A list from an earlier start is offered only after it was compared with the lock file.
 * 3. A server that does not answer keeps its last list, degraded, and is asked again in the background at growing intervals.
 */
import { isDeepStrictEqual } from 'node:util';
import type { System, TimerHandle } from '@holdfast/core';
import type { McpServerEntry } from '@holdfast/manifest';
import { Pauses } from '@holdfast/mcp-wire/client';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { McpServer } from '@holdfast/runners';
import type { UnlistedServer } from './catalog.ts';
import type { CatalogNote } from './entry.ts';
import type { ListCache } from './list-cache.ts';
import { type ListedTools, listTools } from './list-tools.ts';
import { lockedParts } from './locked-parts.ts';
import { isLoginCode, neededLogin } from '../server-auth/auth-error.ts';
import type { ToolGuard } from './tool-guard.ts';

/** The part of an upstream that is used here. */
export interface ListedServer {
  readonly name: string;
  readonly entry: McpServerEntry;
  readonly server: Pick<McpServer, 'request' | 'status'> & Partial<Pick<McpServer, 'handshake'>>;
}

export interface ServerTools {
  readonly tools: readonly JsonObject[];
  readonly degraded: boolean;
  /** Whether the server has listed its tools since this start. */
  readonly isListed: boolean;
  /** What the server tells every client about itself, as compared with the lock file. */
  readonly instructions: string | undefined;
  readonly withheld: ReadonlyMap<string, string>;
  readonly notes: readonly CatalogNote[];
}

/** Not compared with the lock file yet. */
type Unchecked = Omit<ServerTools, 'withheld' | 'notes'>;

export interface KnownServersOptions {
  readonly cache: ListCache;
  readonly guard: ToolGuard;
  readonly system: System;
  /** How long one listing may take before it counts as failed. */
  readonly requestTimeoutMs: number;
  /** The work of a change ends when it resolves. */
  readonly onChange: () => Promise<void>;
}

interface Known {
  upstream: ListedServer;
  state: ServerTools;
  /** Notes about the list, besides those of the lock file. */
  listNotes: readonly CatalogNote[];
  asking: Promise<void> | undefined;
  /** The request that follows the running one. */
  next: Promise<void> | undefined;
  /** The connection the list came over, by its number. */
  connection: number | undefined;
  /** Settles when the list of an earlier start was compared with the lock file; `undefined` without such a list. */
  recalled: Promise<void> | undefined;
  failures: number;
  /** Why the last request failed. */
  failure: unknown;
  retry: TimerHandle | undefined;
}

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | undefined)?.code;
const isOutage = (error: unknown): boolean => codeOf(error) === 'MCP_SERVER_DOWN';

const listFailure = (server: string, error: unknown): string =>
  `The tools of server '${server}' cannot be listed: ${String((error as { readonly message?: unknown } | undefined)?.message ?? error)}`;

/** What a server has written to its standard error is for the operator only. */
function withoutOutput(error: unknown): unknown {
  const { stderr, cause } = (error ?? {}) as { readonly stderr?: unknown; readonly cause?: unknown };
  return stderr === undefined ? error : (cause ?? 'it is down');
}

/** A connection that fails for want of a login is reported as a server that is down. */
function failureCode(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  if (isLoginCode(code)) return code;
  const { code: inner } = (cause ?? {}) as { readonly code?: unknown };
  return isLoginCode(inner) ? inner : typeof code === 'string' ? code : undefined;
}

/** Definitions that have not changed stay the same objects, so that nothing has to compare them again. */
async function sameWhereUnchanged(before: readonly JsonObject[], after: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  if (before.length === 0) return after;
  const pauses = new Pauses();
  const known = new Map(before.map((tool) => [tool['name'], tool]));
  const kept: JsonObject[] = [];
  for (const tool of after) {
    const same = known.get(tool['name']);
    kept.push(same !== undefined && isDeepStrictEqual(same, tool) ? same : tool);
    if (pauses.isDue) await pauses.pause();
  }
  return kept.length === before.length && kept.every((tool, place) => tool === before[place]) ? before : kept;
}

/** Definitions that have not changed are the same objects. */
function isSameState(before: ServerTools, after: ServerTools): boolean {
  const { tools, withheld, notes, degraded, isListed, instructions } = after;
  return (
    before.degraded === degraded &&
    before.isListed === isListed &&
    before.instructions === instructions &&
    before.tools.length === tools.length &&
    tools.every((tool, index) => tool === before.tools[index]) &&
    isDeepStrictEqual([before.withheld, before.notes], [withheld, notes])
  );
}

const firstRetryMs = 1000;
const maxRetryMs = 60_000;
const nothing: ServerTools = { tools: [], degraded: false, isListed: false, instructions: undefined, withheld: new Map(), notes: [] };

export class KnownServers {
  readonly #options: KnownServersOptions;
  readonly #servers = new Map<string, Known>();
  #isClosed = false;

  constructor(options: KnownServersOptions) {
    this.#options = options;
  }

  /** Resolves when the lists of an earlier start are compared with the lock file. */
  async recalled(): Promise<void> {
    await Promise.all([...this.#servers.values()].flatMap(({ recalled }) => recalled ?? []));
  }

  /** `undefined` for a server that was never asked. */
  get(server: string): ServerTools | undefined {
    return this.#servers.get(server)?.state;
  }

  /** A server that has never listed its tools, neither now nor before this start. */
  unlisted(server: string): UnlistedServer | undefined {
    const known = this.#servers.get(server);
    if (known === undefined || known.state.isListed || known.state.tools.length > 0) return undefined;
    const hasFailed = known.state.notes.some(({ kind }) => kind === 'list_failed');
    const reason = hasFailed ? listFailure(server, withoutOutput(known.failure)) : undefined;
    return {
      server,
      reason,
      code: failureCode(known.failure),
      login: neededLogin(known.failure),
      asked: known.asking ?? Promise.resolve(),
    };
  }

  /** Waits until the definition of a tool was compared with the lock file. Rejects if that fails, or if the tool is withheld. */
  async check(server: string, tool: string): Promise<void> {
    const known = this.#servers.get(server);
    if (known === undefined) return;
    const isSeen = (): boolean => known.state.isListed || known.state.tools.some(({ name }) => name === tool);
    if (!isSeen()) await (known.asking ?? this.refresh(known.upstream));
    const withheld = known.state.withheld.get(tool);
    if (withheld !== undefined) throw Object.assign(new Error(withheld), { code: 'TOOL_WITHHELD', retryable: false, ambiguous: false });
    if (!isSeen()) throw known.failure;
  }

  refresh(upstream: ListedServer): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const known = this.#knownOf(upstream);
    if (known.asking === undefined) return this.#start(known);
    known.next ??= known.asking.then(() => {
      known.next = undefined;
      return this.#isClosed ? undefined : this.#start(known);
    });
    return known.next;
  }

  /** Whether the server is up, on another connection than the one its list came over. */
  isStale({ name, server }: ListedServer): boolean {
    const known = this.#servers.get(name);
    const { state, restarts } = server.status();
    return state === 'up' && known !== undefined && known.asking === undefined && known.connection !== restarts;
  }

  /** Compares what is known with the lock file again: it may have been accepted. */
  async recheck(): Promise<void> {
    for (const known of this.#servers.values()) {
      await known.recalled;
      // A list that arrives meanwhile has been compared already, perhaps with the earlier file.
      for (let isCurrent = false; !isCurrent && !this.#isClosed;) {
        const { state, listNotes } = known;
        const checked = await this.#checked(known, state, listNotes);
        isCurrent = known.state === state;
        if (isCurrent) known.state = checked;
      }
    }
    if (!this.#isClosed) await this.#options.onChange();
  }

  forget(server: string): void {
    const known = this.#servers.get(server);
    if (known !== undefined) this.#stopRetry(known);
    this.#servers.delete(server);
  }

  close(): void {
    this.#isClosed = true;
    for (const known of this.#servers.values()) this.#stopRetry(known);
  }

  #knownOf(upstream: ListedServer): Known {
    let known = this.#servers.get(upstream.name);
    if (known === undefined) {
      known = {
        upstream,
        state: nothing,
        listNotes: [],
        asking: undefined,
        next: undefined,
        connection: undefined,
        recalled: undefined,
        failures: 0,
        failure: undefined,
        retry: undefined,
      };
      this.#servers.set(upstream.name, known);
      const last = this.#options.cache.get(upstream.name, upstream.entry);
      if (last !== undefined) known.recalled = this.#take(known, { ...nothing, tools: last, degraded: true }, []);
    }
    known.upstream = upstream;
    return known;
  }

  #start(known: Known): Promise<void> {
    this.#stopRetry(known);
    known.asking = this.#ask(known).finally(() => {
      known.asking = undefined;
    });
    return known.asking;
  }

  async #ask(known: Known): Promise<void> {
    if (known.recalled !== undefined) await known.recalled;
    const before = known.state;
    const { name, entry, server } = known.upstream;
    try {
      const { tools, flaws } = await this.#list(known, server);
      const instructions = (await server.handshake?.())?.instructions;
      const notes = flaws.map((flaw): CatalogNote => ({ kind: 'bad_definition', server: name, message: `Server '${name}': ${flaw}.` }));
      const kept = await sameWhereUnchanged(known.state.tools, tools);
      await this.#take(known, { tools: kept, degraded: false, isListed: true, instructions }, notes);
      known.failures = 0;
      known.connection = server.status().restarts;
      this.#options.cache.set(name, entry, kept);
    } catch (error) {
      // The gateway closes, or the server was replaced: there is nothing to report or to try again.
      if (codeOf(error) === 'RUNNER_CLOSED') return;
      known.failure = error;
      const message = listFailure(name, error);
      await this.#take(known, { ...known.state, degraded: known.state.tools.length > 0 }, [
        { kind: 'list_failed', server: name, message, isOutage: isOutage(error) },
      ]);
      this.#retryLater(known);
    }
    if (this.#servers.get(name) === known && !isSameState(before, known.state)) await this.#options.onChange();
  }

  /** A server may fail just once: it is asked again before its tools count as degraded. */
  async #list({ state }: Known, server: ListedServer['server']): Promise<ListedTools> {
    const signal = AbortSignal.timeout(this.#options.requestTimeoutMs);
    const list = (): Promise<ListedTools> => listTools((method, params, options) => server.request(method, params, options), signal);
    if (state.degraded || state.tools.length === 0) return list();
    try {
      return await list();
    } catch (error) {
      if (signal.aborted) throw error;
      return list();
    }
  }

  async #take(known: Known, state: Unchecked, notes: readonly CatalogNote[]): Promise<void> {
    const checked = await this.#checked(known, state, notes);
    known.listNotes = notes;
    known.state = checked;
  }

  async #checked(
    known: Known,
    { tools, degraded, isListed, instructions }: Unchecked,
    notes: readonly CatalogNote[],
  ): Promise<ServerTools> {
    const { guard } = this.#options;
    const parts = lockedParts(tools, instructions);
    const verdict = await (isListed ? guard.check(known.upstream.name, parts) : guard.compare(known.upstream.name, parts));
    return { tools, degraded, isListed, instructions, withheld: verdict.withheld, notes: [...notes, ...verdict.notes] };
  }

  #retryLater(known: Known): void {
    if (this.#isClosed || known.retry !== undefined) return;
    const delayMs = Math.min(firstRetryMs * 2 ** known.failures++, maxRetryMs);
    known.retry = this.#options.system.setTimer(delayMs, () => void this.refresh(known.upstream), true);
  }

  #stopRetry(known: Known): void {
    if (known.retry !== undefined) this.#options.system.clearTimer(known.retry);
    known.retry = undefined;
  }
}
