/**
 * Owns the name under which a tool is counted: its own, `unknown` if it is not registered, `other` beyond the limit.
 *
 * Invariant: never more than `maxTools` names and these two, regardless of the names that a model invents.
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
  /** Absent when tools are added on their first run. */
  #registered: Set<string> | undefined;
  /** The tool that was used last, since the events of a call come together. */
  #latestTool: string | undefined;
  #latestSeries: ToolSeries | undefined;

  constructor(options: ToolNamesOptions) {
    this.#options = options;
  }

  /** For a tool that exists because it ran or requested admission. Adds it unless tools are registered. */
  of(tool: string): ToolSeries {
    return this.#find(tool) ?? (this.#registered ? this.findOrOther(tool) : this.#addOrOther(tool));
  }

  /** For a name that a model may have invented: never added. */
  findOrOther(tool: string): ToolSeries {
    const series = this.#find(tool);
    if (series) return series;
    const isRegistered = this.#registered?.has(tool) === true;
    this.#options.onDropped(isRegistered ? 'max_tools' : 'unknown_tool');
    return this.#findOrCreate(isRegistered ? otherValue : unknownTool);
  }

  register(tools: readonly string[]): void {
    this.#registered = new Set(tools);
    for (const tool of this.#registered) if (this.#addIfRoom(tool) === undefined) return;
  }

  add(tool: string): void {
    this.#registered ??= new Set();
    this.#registered.add(tool);
    this.#addIfRoom(tool);
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

  #addOrOther(tool: string): ToolSeries {
    const made = this.#addIfRoom(tool);
    if (made) return made;
    this.#options.onDropped('max_tools');
    return this.#findOrCreate(otherValue);
  }

  #addIfRoom(tool: string): ToolSeries | undefined {
    const known = this.#series.get(tool);
    if (known) return known;
    if (this.#count() >= this.#options.maxTools && !this.#evictOne()) return undefined;
    return this.#findOrCreate(tool);
  }

  /** Removes a tool that is no longer registered. Returns whether there was one. */
  #evictOne(): boolean {
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

  #findOrCreate(name: string): ToolSeries {
    const series = this.#series.get(name) ?? this.#options.create(name);
    this.#series.set(name, series);
    return series;
  }
}
