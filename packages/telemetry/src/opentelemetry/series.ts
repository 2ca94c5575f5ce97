/**
 * Owns the attributes of metrics: one object per series, created once. The service knows which tools exist: invented names share one series.
 */
import type { Attributes } from '@opentelemetry/api';
import { attribute, unknownTool } from '../semconv.ts';
import { FewNames } from '../spans/error-type.ts';

/** The series of one tool. */
export class ToolSeries {
  readonly plain: Attributes;
  readonly #byValue = new Map<string, Attributes>();

  constructor(tool: string) {
    this.plain = { [attribute.toolName]: tool };
  }

  /** The series with one more attribute, which must have few values. */
  with(name: string, value: string): Attributes {
    const key = `${name}=${value}`;
    const known = this.#byValue.get(key);
    if (known) return known;
    const made = { ...this.plain, [name]: value };
    this.#byValue.set(key, made);
    return made;
  }
}

export class Series {
  readonly #isKnown: (toolName: string) => boolean;
  readonly #names = new FewNames();
  readonly #tools = new Map<string, ToolSeries>();
  #lastName: string | undefined;
  #last: ToolSeries | undefined;

  constructor(isKnown: (toolName: string) => boolean) {
    this.#isKnown = isKnown;
  }

  of(toolName: string): ToolSeries {
    if (this.#last && toolName === this.#lastName) return this.#last;
    this.#last = this.#tools.get(toolName) ?? this.#make(toolName);
    this.#lastName = toolName;
    return this.#last;
  }

  /** The attributes of a tool, and of an error if there was one. */
  outcome(toolName: string, errorType: string | undefined): Attributes {
    const series = this.of(toolName);
    if (errorType === undefined) return series.plain;
    return series.with(attribute.errorType, this.#names.errorType(this.name(toolName), errorType));
  }

  name(toolName: string): string {
    return String(this.of(toolName).plain[attribute.toolName]);
  }

  #make(toolName: string): ToolSeries {
    const name = this.#isKnown(toolName) ? this.#names.tool(toolName) : unknownTool;
    const shared = name === toolName ? undefined : this.#tools.get(name);
    const series = shared ?? new ToolSeries(name);
    // The shared name is cached once; the names it replaces are not.
    this.#tools.set(name, series);
    return series;
  }
}
