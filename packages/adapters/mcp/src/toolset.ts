/**
 * Owns the known tools of a server, and the service that runs them. A server may change its tools at any time, but the tools of a
 * service are fixed: when tools are new or changed, the service is replaced.
 *
 * Invariants
 * 1. Circuit state survives a change of tools. Running calls finish in the service that started them.
 * 2. Tools the server no longer lists are kept; the server decides how to answer calls to them.
 */
import type { AttemptContext } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { memoryStore } from '@holdfast/core';
import { effectFromAnnotations } from '@holdfast/core/internal';
import type { ReliableOptions, FrameworkTool } from '@holdfast/adapter-kit';
import { checkReliableOptions, Reliable } from '@holdfast/adapter-kit';
import type { JsonSchemaCheck } from '@holdfast/wire';
import { compileLenientSchema } from '@holdfast/wire';
import type { ListedTool, McpClient } from './mcp-client.ts';
import { listAll, maxTimeoutMs, send } from './mcp-client.ts';
import { outputErrorPolicy, throwIfError } from './results.ts';

/** Options of every adapter, and whether to trust what the server says about its tools. */
export interface ReliableClientOptions extends Omit<ReliableOptions, 'reliability'> {
  /**
   * Whether to derive a tool's effect from its annotations (`readOnlyHint`, `idempotentHint`, `destructiveHint`). They are hints, not guarantees:
   * ignore those of an untrusted server.
   * @default 'trust'
   */
  readonly annotations?: 'trust' | 'ignore' | undefined;
}

export class Toolset {
  readonly #client: McpClient;
  readonly #options: ReliableClientOptions;
  readonly #store: Store;
  readonly #listed = new Map<string, { readonly tool: ListedTool; readonly check: JsonSchemaCheck | undefined }>();
  /** Tools called while the server could not list its tools; their calls are sent anyway. */
  readonly #unlisted = new Set<string>();
  #reliable: Reliable;
  #change: Promise<void> = Promise.resolve();
  #listing: Promise<void> | undefined;
  /** Whether the program has closed the client. */
  isClosed = false;

  /** @throws TypeError | RangeError that names the invalid option, its value and how to fix it. */
  constructor(client: McpClient, options: ReliableClientOptions) {
    if (typeof options === 'object' && options !== null && 'reliability' in options)
      throw new TypeError("reliableClient has no setting 'reliability'. A client is shared by many conversations: see startRun.");
    checkReliableOptions(options, undefined, { annotations: ['trust', 'ignore'] }, 'reliableClient');
    this.#client = client;
    this.#options = options;
    this.#store = options.store === undefined ? memoryStore({ maxEvents: 1 }) : options.store;
    this.#reliable = this.#create();
  }

  get reliable(): Reliable {
    return this.#reliable;
  }

  /** Called before a call: lists the tools again if the tool is unknown or the arguments do not match its schema. */
  async prepare(name: unknown, args: unknown): Promise<void> {
    if (typeof name !== 'string' || this.#fits(name, args)) return this.#change;
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    await this.#listing.catch(() => (this.#unlisted.has(name) ? undefined : this.#add(() => this.#unlisted.add(name))));
    return this.#change;
  }

  /** Updates the known tools from the server's list. */
  update(tools: readonly ListedTool[]): Promise<void> {
    const changed = tools.filter((tool) => isUsable(tool) && fingerprint(tool) !== fingerprint(this.#listed.get(tool.name)?.tool));
    const take = (tool: ListedTool): void =>
      void this.#listed.set(tool.name, { tool, check: tool.inputSchema ? compileLenientSchema(tool.inputSchema) : undefined });
    return changed.length === 0 ? this.#change : this.#add(() => changed.forEach(take));
  }

  /** Whether an attempt of the tool is ended when it reports no progress. */
  watchesProgress(name: string): boolean {
    return this.#reliable.service.getToolSettings(name)?.idleTimeoutMs !== undefined;
  }

  async #list(): Promise<void> {
    const tools = await listAll(this.#client, this.#options.policy?.timeoutMs);
    // A disconnected v2 client returns an empty list.
    if (tools.length === 0) throw new TypeError('The server lists no tools');
    await this.update(tools);
  }

  #fits(name: string, args: unknown): boolean {
    const listed = this.#listed.get(name);
    try {
      return listed !== undefined && (listed.check?.(args ?? {}) ?? []).length === 0;
    } catch {
      // With an unusable schema, nothing is checked.
      return true;
    }
  }

  /** Applies changes one after another. */
  #add(change: () => void): Promise<void> {
    this.#change = this.#change.then(async () => {
      change();
      await this.#reliable.service.close();
      const next = this.#create();
      await next.service.restore();
      this.#reliable = next;
    });
    return this.#change;
  }

  /** Tools with settings are included from the start, so that invalid settings fail early. */
  #create(): Reliable {
    const { annotations: _, ...options } = this.#options;
    const inSettings = [options.tools ?? {}, options.run?.toolValidationRetries ?? {}].flatMap((each) => Object.keys(each));
    const names = new Set([...inSettings, ...this.#unlisted, ...this.#listed.keys()]);
    return new Reliable(
      [...names].map((name) => this.#source(this.#listed.get(name)?.tool ?? { name })),
      { ...options, store: this.#store, run: withoutTurnLimit(options) },
      undefined,
      false,
    );
  }

  #source({ name, description, inputSchema, annotations }: ListedTool): FrameworkTool {
    const { annotations: use, policy } = this.#options;
    const effect = use === 'ignore' ? undefined : effectFromAnnotations(annotations);
    return {
      name,
      description,
      input: inputSchema ?? undefined,
      // Without a timeout in the policy, only the SDK's applies, which may restart on progress notifications.
      policy: {
        ...outputErrorPolicy,
        ...(effect ? { effect } : {}),
        ...(policy?.timeoutMs === undefined ? { timeoutMs: maxTimeoutMs } : {}),
      },
      run: async (args: unknown, context: AttemptContext) =>
        throwIfError(await send(this.#client, { name, arguments: args }, {}, context, this.watchesProgress(name))),
    };
  }
}

/** Disables the turn timeout unless it is set, so that the SDK's timeout applies. */
const withoutTurnLimit = ({ turn, run }: ReliableOptions): ReliableOptions['run'] => ({
  ...run,
  turn: { ...(turn?.timeoutMs === undefined ? { timeoutMs: null } : {}), ...run?.turn },
});

/** Whether the service can represent a listed tool. */
const isUsable = ({ name, inputSchema }: ListedTool): boolean =>
  typeof name === 'string' && name.trim() !== '' && typeof (inputSchema ?? {}) === 'object';

const fingerprint = (tool: ListedTool | undefined): string | undefined =>
  tool && JSON.stringify([tool.description, tool.inputSchema, tool.annotations]);
