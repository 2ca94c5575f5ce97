/**
 * Owns what is known of a server's tools, and the service that runs them. A server may change its tools at any time; a service has its tools from the
 * start: when tools are new or changed, another service takes over.
 *
 * Invariants
 * 1. Circuits outlive a change of tools. Calls that run go on in the service that began them.
 * 2. Tools that the server no longer lists are kept: what it says to such a call is its own affair.
 */
import type { AttemptContext } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { memoryStore } from '@holdfast/core';
import type { ReliableOptions, FrameworkTool } from '@holdfast/adapter-kit';
import { Reliable } from '@holdfast/adapter-kit';
import type { JsonSchemaCheck } from '@holdfast/wire';
import { compileLenientSchema } from '@holdfast/wire';
import type { ListedTool, McpClient } from './mcp-client.ts';
import { listAll, noTimeoutMs, send } from './mcp-client.ts';
import { throwIfError } from './results.ts';

/** Options of every adapter, and whether to trust what the server says about its tools. */
export interface ReliableClientOptions extends ReliableOptions {
  /**
   * Whether a tool's effect is taken from what the server says of it (`readOnlyHint`, `idempotentHint`, `destructiveHint`). They are hints, not promises:
   * ignore those of a server that you do not trust.
   * @default 'trust'
   */
  readonly annotations?: 'trust' | 'ignore' | undefined;
}

export class Toolset {
  readonly #client: McpClient;
  readonly #options: ReliableClientOptions;
  readonly #store: Store;
  readonly #listed = new Map<string, { readonly tool: ListedTool; readonly check: JsonSchemaCheck | undefined }>();
  /** Tools that were called while the server had no answer to what its tools are: it is asked what it says to the call. */
  readonly #unlisted = new Set<string>();
  #reliable: Reliable;
  #change: Promise<void> = Promise.resolve();
  #listing: Promise<void> | undefined;

  /** @throws TypeError | RangeError naming the option, its value and how to fix it. */
  constructor(client: McpClient, options: ReliableClientOptions) {
    const { annotations = 'trust' } = options;
    if (annotations !== 'trust' && annotations !== 'ignore')
      throw new RangeError(`reliableClient: 'annotations' must be 'trust' or 'ignore', got ${JSON.stringify(annotations)}.`);
    this.#client = client;
    this.#options = options;
    this.#store = options.store ?? memoryStore({ maxEvents: 1 });
    this.#reliable = this.#made();
  }

  get reliable(): Reliable {
    return this.#reliable;
  }

  /** Before a call: a tool that nobody has listed, or whose schema the arguments do not fit, is asked for once more. */
  async prepare(name: unknown, args: unknown): Promise<void> {
    if (typeof name !== 'string' || this.#fits(name, args)) return this.#change;
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    await this.#listing.catch(() => (this.#unlisted.has(name) ? undefined : this.#add(() => this.#unlisted.add(name))));
    return this.#change;
  }

  /** Takes in what the server has listed. */
  learn(tools: readonly ListedTool[]): Promise<void> {
    const news = tools.filter((tool) => isUsable(tool) && fingerprint(tool) !== fingerprint(this.#listed.get(tool.name)?.tool));
    const take = (tool: ListedTool): void =>
      void this.#listed.set(tool.name, { tool, check: tool.inputSchema ? compileLenientSchema(tool.inputSchema) : undefined });
    return news.length === 0 ? this.#change : this.#add(() => news.forEach(take));
  }

  async #list(): Promise<void> {
    const tools = await listAll(this.#client, this.#options.policy?.timeoutMs);
    // A client of v2 that is not connected lists nothing.
    if (tools.length === 0) throw new TypeError('The server lists no tools');
    await this.learn(tools);
  }

  #fits(name: string, args: unknown): boolean {
    const listed = this.#listed.get(name);
    try {
      return listed !== undefined && (listed.check?.(args ?? {}) ?? []).length === 0;
    } catch {
      // A schema that cannot be used: nothing is checked.
      return true;
    }
  }

  /** One change after another. */
  #add(change: () => void): Promise<void> {
    this.#change = this.#change.then(async () => {
      change();
      await this.#reliable.service.close();
      const next = this.#made();
      await next.service.restore();
      this.#reliable = next;
    });
    return this.#change;
  }

  /** Tools that have settings are there from the start, so that wrong settings are found at once. */
  #made(): Reliable {
    const { annotations: _, ...options } = this.#options;
    const names = new Set([...Object.keys(options.tools ?? {}), ...this.#unlisted, ...this.#listed.keys()]);
    return new Reliable(
      [...names].map((name) => this.#source(this.#listed.get(name)?.tool ?? { name })),
      { ...options, store: this.#store, run: withoutTurnLimit(options) },
    );
  }

  #source({ name, description, inputSchema, annotations }: ListedTool): FrameworkTool {
    const { annotations: use, policy } = this.#options;
    const effect = use === 'ignore' ? undefined : effectOf(annotations);
    return {
      name,
      description,
      input: inputSchema ?? undefined,
      // Without a limit of its own the SDK's is the only one: it may start anew with every sign of progress.
      policy: { ...(effect ? { effect } : {}), ...(policy?.timeoutMs === undefined ? { timeoutMs: noTimeoutMs } : {}) },
      run: async (args: unknown, context: AttemptContext) => throwIfError(await send(this.#client, { name, arguments: args }, {}, context)),
    };
  }
}

/** A call may take as long as the SDK lets it, unless somebody says otherwise. */
const withoutTurnLimit = ({ turn, run }: ReliableOptions): ReliableOptions['run'] => ({
  ...run,
  turn: { ...(turn?.timeoutMs === undefined ? { timeoutMs: null } : {}), ...run?.turn },
});

function effectOf(annotations: ListedTool['annotations']): 'read' | 'idempotent' | 'unsafe' | undefined {
  if (annotations?.readOnlyHint === true) return 'read';
  if (annotations?.idempotentHint === true) return 'idempotent';
  return annotations?.destructiveHint === true ? 'unsafe' : undefined;
}

/** A service has no tool without a name. */
const isUsable = ({ name, inputSchema }: ListedTool): boolean =>
  typeof name === 'string' && name.trim() !== '' && typeof (inputSchema ?? {}) === 'object';

const fingerprint = (tool: ListedTool | undefined): string | undefined =>
  tool && JSON.stringify([tool.description, tool.inputSchema, tool.annotations]);
