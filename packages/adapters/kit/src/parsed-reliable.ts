/**
 * Owns the shared core of all adapters: one service for the tools of a program, and one run per conversation.
 *
 * Invariants
 * 1. Circuits, budgets and metrics belong to the service: they outlive a run and are shared by all of them.
 * 2. Attempts, repetitions and messages to the model belong to the run: conversations are isolated from each other.
 */
import type { AnyTool, JsonSchema, JsonSchemaCompiler, ToolExecutionService } from '@holdfast/core';
import type { AnswerOptions, AnySession, ArgumentReader, CallExecutors, ModelCall, ToolAnswer } from '@holdfast/core/agent';
import { AgentRun } from '@holdfast/core/agent';
import type { FormatRepairer } from '@holdfast/wire';
import { attempt } from './attempt.ts';
import type { FrameworkTool } from './framework-tool.ts';
import type { ReliableOptions, RunBehavior } from './options.ts';
import { checkReliableOptions, checkSharedOptions, checkStartOptions, checkToolNames } from './options.ts';
import type { FindFunction } from './reliability.ts';
import { functionOf, sharedToolsOf, SharedTools } from './reliability.ts';
import { fieldOf } from './vendor-values.ts';

/** The service of a program's tools, and its conversations. */
export interface Entry<Run> {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Starts a conversation. */
  readonly startRun: (options?: { readonly session?: AnySession | undefined }) => Run;
}

/** What `ParsedReliable` is created with. */
export interface ParsedReliableParts {
  /** Returns the reader of arguments, from the user's own. @default arguments are used as they are */
  readonly readerOf?: ((own: ArgumentReader | undefined) => ArgumentReader) | undefined;
  /** Checks JSON Schemas, unless the options have a checker. @default the basic check of `@holdfast/core` */
  readonly jsonSchema?: JsonSchemaCompiler | undefined;
  /** false if further tools may appear later: settings may then name tools that are not known yet. @default true */
  readonly allTools?: boolean | undefined;
  /** What the adapter sets for runs, unless the options or those of the process do. */
  readonly runDefaults?: RunBehavior | undefined;
}

const asParsed: ArgumentReader = ({ raw }) => ({ ok: true, value: raw, repairs: [] });

/**
 * The service behind an adapter, and the context shared by its runs, where the framework has parsed and checked the arguments: the bundle then has no reader of
 * arguments and no checker of JSON Schemas. All others use `Reliable`.
 */
export class ParsedReliable {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  readonly #options: ReliableOptions;
  readonly #readArguments: ArgumentReader;
  readonly #executors: CallExecutors;
  readonly #tools: ReadonlyMap<string, FrameworkTool>;
  readonly #schemas = new Map<string, JsonSchema>();
  readonly #find: FindFunction;
  readonly #isShared: boolean;

  /** @throws TypeError | RangeError naming the option, its value and how to fix it. */
  constructor(
    tools: readonly FrameworkTool[],
    options: ReliableOptions = {},
    { readerOf = () => asParsed, jsonSchema, allTools = true, runDefaults }: ParsedReliableParts = {},
  ) {
    checkReliableOptions(
      options,
      tools.map(({ name }) => name),
    );
    const shared = options.reliability && sharedToolsOf(options.reliability);
    if (shared) checkSharedOptions(options);
    const reliability = shared ?? new SharedTools(options, tools, allTools, jsonSchema);
    shared?.attach(tools);
    this.#isShared = shared !== undefined;
    const run = { ...runDefaults, ...(shared ? runOptionsOf(shared, options, tools) : options.run) };
    this.#options = { ...shared?.options, ...options, run };
    this.#readArguments = readerOf(this.#options.readArguments);
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.service = reliability.service;
    this.#find = functionOf(this.#tools);
    this.#executors = {
      middleware: (next) => next,
      register: (key, toolName, execute) =>
        reliability.register(key, (name) => {
          const found = name === toolName ? execute : shared && this.#find(name);
          return shared && found ? shared.checked(this.#tools.get(name), found, jsonSchema) : found;
        }),
    };
    // Invalid run options fail here, not in the middle of the first conversation.
    this.startRun();
  }

  /** Starts a run: one conversation with one agent. */
  startRun(session?: AnySession): AgentRun {
    return new AgentRun({
      ...this.#options.run,
      service: this.service,
      session,
      readArguments: this.#readArguments,
      executors: this.#executors,
      ...(this.#isShared ? { offers: (toolName: string) => this.#tools.has(toolName) } : {}),
      schemaOf: (toolName) => this.#schemaOf(toolName),
    });
  }

  /** The entry point of an adapter: the service, and a function that starts a conversation. */
  entry<Run>(begin: (agentRun: AgentRun) => Run): Entry<Run> {
    return {
      service: this.service,
      startRun: (start = {}) => {
        checkStartOptions(start);
        return begin(this.startRun(start.session));
      },
    };
  }

  /** A framework may make the schema anew each time, or know it only later. */
  #schemaOf(toolName: string): JsonSchema | undefined {
    const known = this.#schemas.get(toolName) ?? shownSchemaOf(this.#tools.get(toolName));
    if (known) this.#schemas.set(toolName, known);
    return known;
  }

  /** How the runs offer tools whose circuit is open. */
  get openCircuits(): RunBehavior['openCircuits'] {
    return this.#options.run?.openCircuits;
  }

  /** Whether the user has given a function that finds what calls depend on. */
  get hasDependencies(): boolean {
    return this.#options.dependsOn !== undefined;
  }

  /** Adds `dependsOn` to the calls of one response. The number of calls stays the same, whatever the user's function does. */
  withDependencies(calls: readonly ModelCall[]): readonly ModelCall[] {
    const { dependsOn } = this.#options;
    if (!dependsOn) return calls;
    // The given list may be frozen, and the user's function may sort what it gets.
    const known = [...calls];
    return calls.map((call) => ({ ...call, dependsOn: attempt(() => dependsOn(call, known)) ?? [] }));
  }

  /** Answers the calls of one response of the model, in call order. Never rejects. */
  async answer(run: AgentRun, calls: readonly ModelCall[], options?: AnswerOptions): Promise<readonly ToolAnswer[]> {
    const known = this.withDependencies(calls);
    return this.#isShared ? this.#answerEach(run, known, options) : run.answer(known, options);
  }

  /** The functions of a request are registered call by call. */
  #answerEach(run: AgentRun, calls: readonly ModelCall[], options?: AnswerOptions): Promise<readonly ToolAnswer[]> {
    const turn = {};
    return Promise.all(
      calls.map((call) =>
        run.answerOne(call, turn, { ...options, siblings: calls, execute: this.#find(fieldOf(call, 'toolName') as string) }),
      ),
    );
  }

  /** Repairs a request so that its provider accepts it; returns the same object if nothing was wrong. Never throws. */
  repair<Request>(request: Request, { format, repair }: FormatRepairer, run?: AgentRun): Request {
    const { backend, onRepair } = this.#options;
    const { request: repaired, changes, problems } = repair(request, backend);
    if (changes.length === 0 && problems.length === 0) return repaired;
    run?.recordRepair({ format, profile: backend, changes });
    this.service.recordValidationFailure({ stage: 'request', format, problems });
    attempt(() => onRepair?.({ format, changes, problems }));
    return repaired;
  }

  /**
   * Whether an attempt of the tool may have to end while the caller still waits for the call: at a time limit that was set, or because another attempt runs beside it.
   * Otherwise the tool gets the signal of its framework itself, as without Holdfast.
   */
  endsAttempts(toolName: string): boolean {
    const { timeoutMs = 0, idleTimeoutMs, effect } = this.service.getToolSettings(toolName) ?? {};
    const { turn, run } = this.#options;
    const turnLimit = run?.turn?.timeoutMs ?? turn?.timeoutMs;
    return timeoutMs !== Infinity || idleTimeoutMs !== undefined || effect !== undefined || turnLimit !== undefined;
  }
}

/** The JSON Schema that the model is shown. */
function shownSchemaOf({ schema, input }: Partial<FrameworkTool> = {}): JsonSchema | undefined {
  if (schema) return typeof schema === 'function' ? schema() : schema;
  return input && !('~standard' in input) ? input : undefined;
}

/** Options of the runs of one request: its own, over those of the process that are about its tools. */
function runOptionsOf(shared: SharedTools, { run: own }: ReliableOptions, tools: readonly FrameworkTool[]): RunBehavior {
  const names = new Set(tools.map(({ name }) => name));
  checkToolNames(own?.toolValidationRetries, [...names], 'reliableTools.run.toolValidationRetries');
  const ofProcess = Object.entries(shared.options.run?.toolValidationRetries ?? {}).filter(([name]) => names.has(name));
  return {
    ...shared.options.run,
    ...own,
    toolValidationRetries: { ...Object.fromEntries(ofProcess), ...own?.toolValidationRetries },
  };
}
