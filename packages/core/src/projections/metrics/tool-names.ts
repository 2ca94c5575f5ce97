/**
 * Owns under which name a tool is counted: its own, `unknown` where nobody registered it, `other` where there is no room for it.
 *
 * Invariant: never more than `maxTools` names and those two, whatever names a model invents.
 */
import { otherValue, unknownTool } from './metric-values.ts';
import type { ToolSeries } from './series-sets.ts';

export interface ToolNamesOptions {
  readonly maxTools: number;
  readonly create: (tool: string) => ToolSeries;
  readonly onDropped: (limit: 'max_tools' | 'unknown_tool') => void;
}

export class ToolNames {
  readonly #options: ToolNamesOptions;
  readonly #series = new Map<string, ToolSeries>();
  /** Absent while tools are learnt. */
  #registered: Set<string> | undefined;
  /** The events of a call follow each other. */
  #latestTool: string | undefined;
  #latestSeries: ToolSeries | undefined;

  constructor(options: ToolNamesOptions) {
    this.#options = options;
  }

  /** For a tool that exists: it was run, or its admission was asked. Learnt, where tools are learnt. */
  of(tool: string): ToolSeries {
    return this.#find(tool) ?? (this.#registered ? this.named(tool) : this.#room(tool));
  }

  /** For a name that a model may have invented: never learnt. */
  named(tool: string): ToolSeries {
    const series = this.#find(tool);
    if (series) return series;
    const isRegistered = this.#registered?.has(tool) === true;
    this.#options.onDropped(isRegistered ? 'max_tools' : 'unknown_tool');
    return this.#shared(isRegistered ? otherValue : unknownTool);
  }

  register(tools: readonly string[]): void {
    this.#registered = new Set(tools);
    for (const tool of this.#registered) this.#make(tool);
  }

  add(tool: string): void {
    this.#registered ??= new Set();
    this.#registered.add(tool);
    this.#make(tool);
  }

  all(): Iterable<ToolSeries> {
    return this.#series.values();
  }

  #find(tool: string): ToolSeries | undefined {
    if (this.#latestSeries && tool === this.#latestTool) return this.#latestSeries;
    this.#latestTool = tool;
    this.#latestSeries = this.#series.get(tool);
    return this.#latestSeries;
  }

  #room(tool: string): ToolSeries {
    const made = this.#make(tool);
    if (made) return made;
    this.#options.onDropped('max_tools');
    return this.#shared(otherValue);
  }

  #make(tool: string): ToolSeries | undefined {
    const known = this.#series.get(tool);
    if (known) return known;
    if (this.#count() >= this.#options.maxTools && !this.#forgetOne()) return undefined;
    return this.#shared(tool);
  }

  /** A tool that is no longer registered makes room. */
  #forgetOne(): boolean {
    for (const tool of this.#series.keys()) {
      if (tool === otherValue || tool === unknownTool || this.#registered?.has(tool) !== false) continue;
      this.#latestSeries = undefined;
      return this.#series.delete(tool);
    }
    return false;
  }

  #count(): number {
    return this.#series.size - Number(this.#series.has(otherValue)) - Number(this.#series.has(unknownTool));
  }

  #shared(name: string): ToolSeries {
    const series = this.#series.get(name) ?? this.#options.create(name);
    this.#series.set(name, series);
    return series;
  }
}
