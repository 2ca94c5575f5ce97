/** Owns outputs that a tool has not made itself, such as those of an alternative: its own `toModelOutput` cannot read them. */

/** Converts the output of a tool for the model. */
export type ToModelOutput = (output: never) => unknown;

/** The framework passes outputs on by reference, but without the id of their call. Outputs that it never converts are forgotten. */
const maxOutputs = 100;

export class ForeignOutputs {
  readonly #own: ToModelOutput | undefined;
  readonly #conversions = new Map<unknown, ToModelOutput | undefined>();

  constructor(own: ToModelOutput | undefined) {
    this.#own = own;
  }

  /** Notes the conversion of an output; `undefined`: the framework's own. Returns the output. */
  add(output: unknown, conversion: ToModelOutput | undefined): unknown {
    if (this.#own) this.#conversions.set(output, conversion);
    const [oldest] = this.#conversions.keys();
    if (this.#conversions.size > maxOutputs) this.#conversions.delete(oldest);
    return output;
  }

  /** Converts an output with the conversion of the tool that made it. */
  readonly toModelOutput: ToModelOutput = (output) => {
    if (!this.#conversions.has(output)) return this.#own?.(output);
    const conversion = this.#conversions.get(output);
    this.#conversions.delete(output);
    return conversion?.(output);
  };
}
