/** Owns an output that breaks its schema: a failure of the attempt, and in the end what the SDK finds itself. */
import type { RunContext } from '@openai/agents';

type Execute<Details> = (args: unknown, context: RunContext, details: Details) => unknown;

interface OutputSchema {
  readonly parse?: (output: unknown) => unknown;
}

/** The outputs of one tool, each checked once: by the attempt, and the SDK gets the same result. */
export class CheckedOutputs {
  /** What the schema made of an output that the SDK has not read. */
  readonly #parsed = new WeakMap<object, unknown>();
  readonly #given: OutputSchema;
  /** For the SDK. */
  readonly schema: unknown;

  constructor(given: unknown) {
    this.#given = Object(given) as OutputSchema;
    this.schema = this.#given.parse
      ? (Object.create(this.#given, { parse: { value: (output: unknown) => this.#take(output) } }) as unknown)
      : given;
  }

  /** Fails an attempt whose output is invalid. */
  after<Details>(execute: Execute<Details>): Execute<Details> {
    if (!this.#given.parse) return execute;
    return async (args, context, details) => {
      const output = await execute(args, context, details);
      try {
        const parsed = this.#given.parse?.(output);
        if (typeof output === 'object' && output !== null) this.#parsed.set(output, parsed);
      } catch (error) {
        throw new ToolOutputError(output, error);
      }
      return output;
    };
  }

  #take(output: unknown): unknown {
    const key = Object(output) as object;
    if (!this.#parsed.has(key)) return this.#given.parse?.(output);
    const parsed = this.#parsed.get(key);
    // The tool may return the same object again, with other contents.
    this.#parsed.delete(key);
    return parsed;
  }
}

/** The tool has run: an output that breaks its schema must not be told as wrong arguments, and is no reason to repeat the call. */
export class ToolOutputError extends Error {
  override readonly name = 'ToolOutputError';
  readonly ambiguous = true;
  declare readonly output: unknown;

  constructor(output: unknown, cause: unknown) {
    const { issues, message } = Object(cause) as { readonly issues?: unknown; readonly message?: unknown };
    const described = Array.isArray(issues) ? (issues as readonly Issue[]).map(describeIssue) : [String(message)];
    super(`The output of the tool does not match its schema: ${described.join('; ')}`, { cause });
    Object.defineProperty(this, 'output', { value: output, enumerable: false });
  }
}

interface Issue {
  readonly path?: readonly PropertyKey[];
  readonly message?: unknown;
}

const describeIssue = ({ path = [], message }: Issue): string =>
  [path.map(String).join('.'), String(message)].filter((part) => part !== '').join(': ');

export const outputErrorPolicy = { classification: [{ name: 'ToolOutputError', as: 'permanent', category: 'contract' }] } as const;
