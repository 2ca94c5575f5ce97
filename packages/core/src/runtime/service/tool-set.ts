/**
 * Owns which tools a service has, and replacing them while calls run. Does not own what a call does with a tool.
 *
 * Invariants
 * 1. State that belongs to a name (circuit, limits, waiters) stays while tools are added, changed and removed: a tool that returns finds it again.
 * 2. A removed tool accepts no new calls; its calls in flight continue as they began.
 * 3. A replacement that is refused has changed nothing.
 */
import type { GateChange } from '../../engine/admission/types.ts';
import { restore, withSettings } from '../../engine/admission/gate-control.ts';
import type { CircuitSnapshot } from '../../engine/breaker/types.ts';
import type { ToolGate, ToolRuntime, ToolRuntimeOptions } from '../drivers/tool-runtime.ts';
import { createToolRuntime, partitionOf } from '../drivers/tool-runtime.ts';
import type { System } from '../../engine/ports/system.ts';
import type { ToolPolicy } from '../../engine/settings/settings.ts';
import type { AnyTool } from '../../engine/tool/tool.ts';
import { checkTools } from './options.ts';

/** Number of removed tools that are remembered. */
const WITHDRAWN_LIMIT = 1_000;
/** Number of partitions of a tool with a gate of their own. */
const PARTITION_LIMIT = 250;

/** What a replacement, or a saved state, changed at the gate of a tool. */
export interface GateChanged {
  readonly runtime: ToolGate;
  readonly change: GateChange;
}

export class ToolSet {
  #options: ToolRuntimeOptions;
  readonly #system: Pick<System, 'now' | 'epochMs'>;
  #tools: readonly AnyTool[] = [];
  #offered: ReadonlyMap<string, ToolRuntime> = new Map();
  readonly #withdrawn = new Map<string, ToolRuntime>();
  /** Restored circuits whose tools have not been added yet. */
  readonly #recorded = new Map<string, CircuitSnapshot>();
  #last: ToolRuntime | undefined;
  /** Of the tools that are offered or prepared, under `#madePolicy`. */
  #made = new Map<AnyTool, ToolRuntime>();
  #madePolicy: ToolPolicy | undefined;

  constructor(tools: readonly AnyTool[], options: ToolRuntimeOptions, system: Pick<System, 'now' | 'epochMs'>) {
    this.#options = options;
    this.#system = system;
    this.replace(tools);
  }

  get tools(): readonly AnyTool[] {
    return this.#tools;
  }

  get names(): readonly string[] {
    return [...this.#offered.keys()];
  }

  /** Includes removed tools. */
  get runtimes(): readonly ToolRuntime[] {
    return [...this.#offered.values(), ...this.#withdrawn.values()];
  }

  /** A tool that may be called. Called often, so the latest is cached. */
  readonly offered = (name: string): ToolRuntime | undefined => {
    if (this.#last?.name !== name) this.#last = this.#offered.get(name);
    return this.#last;
  };

  /** For calls in flight: also finds a removed tool. */
  readonly lasting = (name: string): ToolRuntime | undefined => this.offered(name) ?? this.#withdrawn.get(name);

  /** What `replace` would do for each of these tools by itself. */
  prepare(tools: readonly AnyTool[], policy: ToolPolicy | undefined = this.#options.policy): void {
    if (policy !== this.#madePolicy) this.#made = new Map();
    this.#madePolicy = policy;
    checkTools(tools);
    const options = { ...this.#options, policy };
    for (const tool of tools) if (!this.#made.has(tool)) this.#made.set(tool, createToolRuntime(tool, options));
  }

  /** @throws TypeError | RangeError naming the tool, the field, its value and the fix. */
  replace(tools: readonly AnyTool[], policy: ToolPolicy | undefined = this.#options.policy): readonly GateChanged[] {
    const made = policy === this.#madePolicy ? this.#made : new Map<AnyTool, ToolRuntime>();
    checkTools(tools, undefined, undefined, (tool) => made.get(tool));
    const options = { ...this.#options, policy };
    const runtimes = tools.map((tool) => made.get(tool) ?? createToolRuntime(tool, options));
    this.#options = options;
    this.#made = new Map();
    this.#madePolicy = policy;
    const offered = new Map<string, ToolRuntime>();
    const changes: GateChanged[] = [];
    for (const runtime of runtimes) {
      const before = this.#offered.get(runtime.name) ?? this.#withdrawn.get(runtime.name);
      const kept = before === undefined ? this.#addTool(runtime, changes) : this.#replaceTool(before, runtime, changes);
      offered.set(kept.name, kept);
      this.#made.set(kept.tool, kept);
    }
    for (const [name, runtime] of this.#offered) if (!offered.has(name)) this.#withdraw(runtime);
    for (const name of this.#withdrawn.keys()) if (offered.has(name)) this.#withdrawn.delete(name);
    this.#tools = [...tools];
    this.#offered = offered;
    this.#last = undefined;
    return changes;
  }

  /** The tool with the gate of a partition. `isKept`: a call uses it. */
  readonly partition = (tool: ToolRuntime, name: string, isKept: boolean): ToolRuntime => {
    const { peers } = tool;
    const own = partitionOf(tool, name);
    if (isKept) {
      peers.delete(name);
      peers.set(name, own);
      if (peers.size > PARTITION_LIMIT) endIdle(peers);
    }
    return { ...tool, ...own };
  };

  /** Restores circuits. Those of tools that do not exist are kept until the tools are added. */
  remember(circuits: ReadonlyMap<string, CircuitSnapshot>): readonly GateChanged[] {
    return [...circuits].flatMap(([name, snapshot]) => {
      const runtime = this.lasting(name);
      if (runtime) return this.#restore(runtime, snapshot);
      this.#recorded.set(name, snapshot);
      return [];
    });
  }

  #addTool(runtime: ToolRuntime, changes: GateChanged[]): ToolRuntime {
    const snapshot = this.#recorded.get(runtime.name);
    this.#recorded.delete(runtime.name);
    if (snapshot) changes.push(...this.#restore(runtime, snapshot));
    return runtime;
  }

  #replaceTool(before: ToolRuntime, runtime: ToolRuntime, changes: GateChanged[]): ToolRuntime {
    if (before === runtime) return before;
    const { gate, peers } = before;
    for (const own of peers.values()) {
      const change = withSettings(own.gate, runtime.gate.settings, this.#system.now());
      own.gate.limiter = gate.limiter;
      changes.push({ runtime: own, change });
    }
    return { ...runtime, ...peers.get('') };
  }

  #withdraw(runtime: ToolRuntime): void {
    this.#withdrawn.set(runtime.name, runtime);
    for (const [name, { gate }] of this.#withdrawn) {
      if (this.#withdrawn.size <= WITHDRAWN_LIMIT) return;
      if (gate.bulkhead.held === 0 && gate.bulkhead.queued === 0) this.#withdrawn.delete(name);
    }
  }

  /** What calls have shown since is newer than any saved state. */
  #restore(runtime: ToolRuntime, snapshot: CircuitSnapshot): readonly GateChanged[] {
    const { success, transient, permanent, neutral } = runtime.gate.breaker.counters;
    if (success + transient + permanent + neutral > 0) return [];
    const clock = { now: this.#system.now(), nowEpochMs: this.#system.epochMs(), permitsLost: true };
    return [{ runtime, change: restore(runtime.gate, snapshot, clock) }];
  }
}

/**
 * Calls in flight keep their gates, and so does a command for one partition. An idle partition that ends begins with a closed circuit, and the mode of the
 * tool, when it is used again.
 */
function endIdle(peers: ToolGate['peers']): void {
  const { mode } = peers.get('')?.gate.breaker ?? {};
  for (const [name, { gate, delayedCalls }] of peers) {
    if (peers.size <= PARTITION_LIMIT) return;
    if (name === '' || gate.breaker.mode !== mode) continue;
    if (gate.bulkhead.held + gate.bulkhead.waiters.size + delayedCalls.size === 0) peers.delete(name);
  }
}
