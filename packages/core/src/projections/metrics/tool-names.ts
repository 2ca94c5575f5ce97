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

export interface KnownTool {
  readonly name: string;
  /** The reading before it was known. */
  readonly bornAfter: number;
  /** Created by its first event: of thousands of tools, few ever run. */
  series: ToolSeries | undefined;
}

export class ToolNames {
  /** The number of the latest reading. */
  reading = 0;
  readonly #options: ToolNamesOptions;
  readonly #tools = new Map<string, KnownTool>();
  /** Absent when tools are added on their first run. */
  #registered: Set<string> | undefined;
  /** The tool that was used last, since the events of a call come together. */
  #latestTool: string | undefined;
  #latest: KnownTool | undefined;

  constructor(options: ToolNamesOptions) {
    this.#options = options;
  }

  /** For a tool that exists because it ran or requested admission. Adds it unless tools are registered. */
  of(tool: string): ToolSeries {
    return this.#use(this.#find(tool)) ?? (this.#registered ? this.findOrOther(tool) : this.#addOrOther(tool));
  }

  /** For a name that a model may have invented: never added. */
  findOrOther(tool: string): ToolSeries {
    const series = this.#use(this.#find(tool));
    if (series) return series;
    const isRegistered = this.#registered?.has(tool) === true;
    this.#options.onDropped(isRegistered ? 'max_tools' : 'unknown_tool');
    return this.#use(this.#findOrCreate(isRegistered ? otherValue : unknownTool));
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

  all(): Iterable<KnownTool> {
    return this.#tools.values();
  }

  /** The tools that were used, and the first one. In the order of `all`. */
  active(): readonly KnownTool[] {
    return [...this.#tools.values()].filter(({ series }, index) => series !== undefined || index === 0);
  }

  #find(tool: string): KnownTool | undefined {
    if (this.#latest && tool === this.#latestTool) return this.#latest;
    this.#latestTool = tool;
    this.#latest = this.#tools.get(tool);
    return this.#latest;
  }

  #use(known: KnownTool): ToolSeries;
  #use(known: KnownTool | undefined): ToolSeries | undefined;
  #use(known: KnownTool | undefined): ToolSeries | undefined {
    return known && (known.series ??= this.#options.create(known.name));
  }

  #addOrOther(tool: string): ToolSeries {
    const made = this.#use(this.#addIfRoom(tool));
    if (made) return made;
    this.#options.onDropped('max_tools');
    return this.#use(this.#findOrCreate(otherValue));
  }

  #addIfRoom(tool: string): KnownTool | undefined {
    const known = this.#tools.get(tool);
    if (known) return known;
    if (this.#count() >= this.#options.maxTools && !this.#evictOne()) return undefined;
    return this.#findOrCreate(tool);
  }

  /** Removes a tool that is no longer registered. Returns whether there was one. */
  #evictOne(): boolean {
    for (const tool of this.#tools.keys()) {
      if (tool === otherValue || tool === unknownTool || this.#registered?.has(tool) !== false) continue;
      this.#latest = undefined;
      return this.#tools.delete(tool);
    }
    return false;
  }

  #count(): number {
    return this.#tools.size - Number(this.#tools.has(otherValue)) - Number(this.#tools.has(unknownTool));
  }

  #findOrCreate(name: string): KnownTool {
    const known = this.#tools.get(name) ?? { name, bornAfter: this.reading, series: undefined };
    this.#tools.set(name, known);
    return known;
  }
}
