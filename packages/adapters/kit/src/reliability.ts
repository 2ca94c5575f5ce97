/**
 * Owns what outlives the tools of one request: the service with the circuits, budgets, metrics and memory, and which functions its calls run.
 *
 * Invariants
 * 1. A call runs the functions that its own request has given, its alternatives too. A tool that its request has not given is unknown to it.
 * 2. A tool is known by its name. It is defined again only when its description or settings have changed.
 * 3. Arguments are checked with the schema of the request that made the call, never with that of another.
 */
import type { AnyTool, AttemptContext, JsonSchemaCompiler, Middleware, Schema } from '@holdfast/core';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { AgentRun, ToolValidationError, type CallExecutor } from '@holdfast/core/agent';
import { createValidator, describeIssues, type Validator } from '@holdfast/core/internal';
import type { FrameworkTool } from './framework-tool.ts';
import type { Reliability, ReliableOptions } from './options.ts';
import { checkReliableOptions, withAdapterDefaults } from './options.ts';

/** Finds the function that runs a tool in one request. */
export type FindFunction = (toolName: string) => CallExecutor | undefined;

/** The service of a process, with the tools of all its requests. */
export class SharedTools implements Reliability {
  /** The service that runs the tools of all requests. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** The options that all requests share. */
  readonly options: ReliableOptions;
  readonly #isPerRequest: boolean;
  readonly #functions = new Map<string, FindFunction>();
  readonly #validators = new WeakMap<object, { readonly by: JsonSchemaCompiler | undefined; readonly check: Validator }>();
  readonly #defined = new Map<string, { readonly tool: AnyTool; readonly fingerprint: string }>();

  /**
   * @param tools The tools that are known now.
   * @param allTools false if further tools may appear later: settings may then name tools that are not known yet
   * @param jsonSchema checks the JSON Schemas of the tools, unless the options have a checker
   * @param isPerRequest whether each request gives tools of its own
   */
  constructor(
    options: ReliableOptions,
    tools: readonly FrameworkTool[],
    allTools: boolean,
    jsonSchema?: JsonSchemaCompiler,
    isPerRequest = false,
  ) {
    this.options = options;
    this.#isPerRequest = isPerRequest;
    const {
      tools: _tools,
      run: _run,
      readArguments: _read,
      dependsOn: _dependsOn,
      backend: _backend,
      onRepair: _onRepair,
      reliability: _reliability,
      middleware = [],
      ...service
    } = withAdapterDefaults(options);
    const defined = tools.map((tool) => this.#define(tool));
    this.service = new ToolExecutionService({
      jsonSchema,
      ...service,
      middleware: [...middleware, this.#middleware],
      // Names in settings are checked against the tools that a service begins with.
      tools: allTools ? defined : [],
    });
    if (!allTools) this.service.replaceTools(defined);
    if (isPerRequest) this.#checkSettings();
  }

  /** Settings are refused where they are given, not at the first request that has the tool. */
  #checkSettings(): void {
    for (const [name, settings] of Object.entries(this.options.tools ?? {})) defineTool({ ...settings, name, run: () => undefined });
    new AgentRun({ ...this.options.run, service: this.service });
  }

  /** Arguments are checked before the function of a request runs. */
  checked(tool: FrameworkTool | undefined, execute: CallExecutor, jsonSchema: JsonSchemaCompiler | undefined): CallExecutor {
    if (tool?.input === undefined) return execute;
    const check = this.#validatorOf(tool.input, jsonSchema);
    return async (args, context) => {
      const checked = await check(args);
      if (checked.ok === false) throw new ToolValidationError(describeIssues(checked.issues, args, 'parameter').join('; '));
      return execute(checked.ok === true ? checked.value : args, context);
    };
  }

  #validatorOf(input: Schema, jsonSchema: JsonSchemaCompiler | undefined): Validator {
    const known = this.#validators.get(input);
    if (known && known.by === jsonSchema) return known.check;
    const check = createValidator(input, this.options.jsonSchema ?? jsonSchema);
    this.#validators.set(input, { by: jsonSchema, check });
    return check;
  }

  /** Adds the tools of a request. */
  attach(tools: readonly FrameworkTool[]): void {
    const changed = tools.filter((tool) => this.#defined.get(tool.name)?.fingerprint !== fingerprintOf(tool));
    if (changed.length === 0) return;
    for (const tool of changed) this.#define(tool);
    this.service.replaceTools([...this.#defined.values()].map(({ tool }) => tool));
  }

  /** Registers the functions of one run of a call. Returns a function that removes them. */
  register(idempotencyKey: string, find: FindFunction): () => void {
    this.#functions.set(idempotencyKey, find);
    return () => void this.#functions.delete(idempotencyKey);
  }

  /** Added last, so that the user's middleware also wraps the functions of a request. */
  readonly #middleware: Middleware = (next) => (args, context) => {
    const own = this.#functions.get(context.idempotencyKey)?.(context.toolName);
    return own ? own(args, context) : next(args, context);
  };

  #define(tool: FrameworkTool): AnyTool {
    const { policy, schema: _schema, input, ...rest } = tool;
    const source = this.#isPerRequest ? rest : { ...rest, input };
    const defined = defineTool({ ...policy, ...this.options.tools?.[tool.name], ...source } as Parameters<typeof defineTool>[0]);
    this.#defined.set(tool.name, { tool: defined, fingerprint: fingerprintOf(tool) });
    return defined;
  }
}

/** What a service keeps of a tool; its functions and its schema are those of the request. */
function fingerprintOf({ name, description, policy }: FrameworkTool): string {
  return JSON.stringify([name, description, policy]);
}

/** A request's own function for a tool, for calls that the framework does not run itself. A tool that the request has not given runs nothing. */
export const functionOf =
  (tools: ReadonlyMap<string, FrameworkTool>): FindFunction =>
  (toolName) => {
    const tool = tools.get(toolName);
    return tool ? (args: unknown, context: AttemptContext) => tool.run(args as never, context) : () => Promise.reject(notGiven(toolName));
  };

const notGiven = (toolName: string): Error =>
  Object.assign(new Error(`The tool '${toolName}' was not given in this request`), { code: 'ENOENT', retryable: false });

/**
 * Creates what tools made per request share: circuits, budgets, metrics and memory. Create it once per process, and pass it to `reliableTools` in every request.
 * @throws TypeError | RangeError that names the invalid option, its value and how to fix it.
 */
export function createReliability(options: Omit<ReliableOptions, 'reliability'> = {}): Reliability {
  checkReliableOptions(options, undefined, {}, 'createReliability');
  return new SharedTools(options, [], false, undefined, true);
}

/** @throws TypeError for what `createReliability` has not made */
export function sharedToolsOf(reliability: Reliability): SharedTools {
  if (reliability instanceof SharedTools) return reliability;
  throw new TypeError("The option 'reliability' must be created with createReliability(…).");
}
