/**
 * Owns the attributes of metrics: one object for each series, made once. Which tools there are, the service says: names that models make up are one series.
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

  /** With one more attribute. The values of each must be few. */
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

  /** What a metric says of a tool, and of an error where there was one. */
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
    // A name that stands for others is kept once, those that it stands for are not.
    this.#tools.set(name, series);
    return series;
  }
}
