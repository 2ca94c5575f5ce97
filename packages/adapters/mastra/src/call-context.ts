/**
 * Owns the context that Mastra passes to a tool: what is read of it, and passing it on to the attempts of a call.
 *
 * Invariants
 * 1. A tool gets the context of the framework, with a signal of its own only if an attempt may have to end before its call.
 * 2. It is known whether a tool has suspended itself: then its call has neither failed nor succeeded, and is not run again.
 * 3. Arguments are validated and transformed as often as without Holdfast: what the first attempt did not validate, a repetition does not either.
 */

type Suspend = (...args: unknown[]) => unknown;

/** Where a tool finds `suspend`: in the context itself, and in the part for agents or workflows. */
interface Suspendable {
  readonly suspend?: Suspend | undefined;
}

/** The fields used of the context that Mastra passes to a tool, and of the options that it passes to a tool of the AI SDK. */
export interface ToolContext extends Suspendable {
  readonly abortSignal?: AbortSignal | undefined;
  /** The id of the agent's run. */
  readonly runId?: string | undefined;
  /** The id of the call, for a tool of the AI SDK. */
  readonly toolCallId?: string | undefined;
  readonly agent?: (Suspendable & { readonly toolCallId?: string | undefined }) | undefined;
  readonly workflow?: Suspendable | undefined;
}

/** A tool, as far as it is run. */
interface Executable {
  readonly execute?: ((input: never, context: never) => unknown) | undefined;
}

const schemaField = 'inputSchema';

/** Runs a task while the input schema of a tool is another. Mastra reads it before it waits for anything. */
function withSchema(tool: Executable, get: (schema: unknown) => unknown, task: () => unknown): unknown {
  const own = Object.getOwnPropertyDescriptor(tool, schemaField);
  if (!own?.configurable) return task();
  Object.defineProperty(tool, schemaField, { get: () => get(own.value), configurable: true, enumerable: true });
  try {
    return task();
  } finally {
    Object.defineProperty(tool, schemaField, own);
  }
}

/** The context of one call, for all its attempts. */
export class CallContext {
  /** Whether the tool has suspended the run of its agent or workflow. */
  isSuspended = false;
  readonly #context: ToolContext | undefined;
  /** Whether the first attempt validated the arguments; an agent marks a context for which it has done so itself, but only once. */
  #validates: boolean | undefined;

  constructor(given: ToolContext | undefined) {
    // A tool that is called without a context gets the one that the framework makes then.
    if (!given) return;
    const context = given;
    const { suspend, agent, workflow } = context;
    const changes = {
      ...(suspend ? { suspend: this.#watch(context, suspend) } : {}),
      ...(agent?.suspend ? { agent: { ...agent, suspend: this.#watch(agent, agent.suspend) } } : {}),
      ...(workflow?.suspend ? { workflow: { ...workflow, suspend: this.#watch(workflow, workflow.suspend) } } : {}),
    };
    // An agent makes a context for each call, and recognizes by it that it has already validated the arguments.
    this.#context = agent && !Object.isFrozen(context) ? Object.assign(context, changes) : { ...context, ...changes };
  }

  /** Runs a tool once. @param abortSignal of the attempt, if the tool needs one of its own: else it gets the framework's, or none */
  run(tool: Executable, input: unknown, abortSignal?: AbortSignal): unknown {
    const context = abortSignal ? Object.assign(this.#context ?? {}, { abortSignal }) : this.#context;
    const isFirst = this.#validates === undefined;
    this.#validates ??= false;
    const schemaFor = (schema: unknown): unknown => {
      if (isFirst) this.#validates = true;
      return this.#validates ? schema : undefined;
    };
    return withSchema(tool, schemaFor, () => tool.execute?.(input as never, context as never));
  }

  #watch(owner: object, suspend: Suspend): Suspend {
    return (...args) => {
      this.isSuspended = true;
      return suspend.apply(owner, args);
    };
  }
}
