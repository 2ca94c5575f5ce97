/**
 * Owns the parser of a tool that all conversations share. The SDK knows the parser of a tool by the function that it has made for it, so each conversation needs such a
 * function of its own, and the SDK converts the schema each time, which takes as long as many calls.
 *
 * Invariants
 * 1. Arguments are parsed by the SDK's own parser, with its own error.
 * 2. Where the SDK does not parse before `invoke` returns, each conversation has a parser of its own.
 */
import type { FunctionTool } from '@openai/agents';
import { RunContext } from '@openai/agents';
import type { Schema, Validated, Watcher } from './watched-schema.ts';
import { watchedSchema } from './watched-schema.ts';

/** Makes a tool of the SDK with these parameters, which hands its parsed arguments to a function. */
type MakeTool = (parameters: unknown, take: (args: unknown) => void) => FunctionTool;

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

/** What the SDK converts for a conversation: as little as possible, since nothing reads it. */
const anyObject = { type: 'object', properties: {}, required: [], additionalProperties: false } as const;

export class SharedParser {
  readonly #parameters: Schema;
  readonly #make: MakeTool;
  readonly #context = new RunContext();
  #tool: FunctionTool | undefined;
  #watcher: Watcher | undefined;
  #outcome: Outcome | undefined;
  #isUsable: boolean | undefined;

  constructor(parameters: Schema, make: MakeTool) {
    this.#parameters = parameters;
    this.#make = make;
  }

  /** The schema for a tool of one conversation. */
  schemaFor(watcher: Watcher): unknown {
    this.#isUsable ??= this.#parse({}, quiet) !== undefined;
    if (!this.#isUsable) return watchedSchema(this.#parameters, watcher);
    const validate = (value: unknown): Validated | PromiseLike<Validated> => this.#validate(value, watcher);
    const jsonSchema = { input: () => anyObject, output: () => anyObject };
    return { '~standard': { version: 1, vendor: 'holdfast', validate, jsonSchema } };
  }

  #validate(value: unknown, watcher: Watcher): Validated | PromiseLike<Validated> {
    const outcome = this.#parse(value, watcher);
    // Without an outcome the schema is asynchronous for this value, which the SDK refuses.
    if (!outcome) return Promise.resolve({ issues: [] });
    if (outcome.ok) return { value: outcome.value };
    // A parser throws, a Standard Schema returns its issues.
    if (outcome.error instanceof Error) throw outcome.error;
    return outcome.error as Validated;
  }

  /** Runs the SDK's parser, which ends before `invoke` returns. */
  #parse(value: unknown, watcher: Watcher): Outcome | undefined {
    this.#tool ??= this.#make(watchedSchema(this.#parameters, this.#reporter), (args) => void (this.#outcome = { ok: true, value: args }));
    const before = this.#watcher;
    this.#watcher = watcher;
    this.#outcome = undefined;
    Promise.resolve(this.#tool.invoke(this.#context, JSON.stringify(value))).catch(ignore);
    this.#watcher = before;
    const outcome = this.#outcome;
    this.#outcome = undefined;
    return outcome;
  }

  /** Reports to the conversation whose arguments are parsed. */
  readonly #reporter: Watcher = {
    accept: (parsed, value) => this.#watcher?.accept(parsed, value),
    reread: (value) => this.#watcher?.reread(value),
    reject: (value, error) => {
      this.#watcher?.reject(value, error);
      this.#outcome = { ok: false, error };
    },
  };
}

const quiet: Watcher = { accept: ignore, reread: () => undefined, reject: ignore };

function ignore(): void {
  // The outcome is known before.
}
