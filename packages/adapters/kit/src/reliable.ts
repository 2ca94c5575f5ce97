/**
 * Owns what stands behind every adapter: one service for the tools of a program, and a run of it for each conversation.
 *
 * Invariants
 * 1. Circuits, budgets and metrics belong to the service: they outlive a run and are shared by all of them.
 * 2. Attempts, repetitions and what was told to the model belong to the run: conversations know nothing of each other.
 */
import type { AnyTool, AttemptContext } from '@holdfast/core';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import type { AnswerOptions, AnySession, ArgumentReader, CallExecutors, ModelCall, ToolAnswer } from '@holdfast/core/agent';
import { AgentRun, callExecutors } from '@holdfast/core/agent';
import type { Format } from '@holdfast/wire';
import { compileLenientSchema, readArguments, repair } from '@holdfast/wire';
import type { ReliableOptions, ToolOptions } from './options.ts';
import { checkReliableOptions } from './options.ts';
import { rewrapAnswers, unwrapEach } from './unwrap-calls.ts';

/** A framework's tool in our words. */
export interface FrameworkTool {
  /** Name of the tool, unique in the program. */
  readonly name: string;
  /** What the tool does, as the model reads it. */
  readonly description?: string | undefined;
  /** Checks arguments before the tool runs; leave it out where the framework has checked them already. */
  readonly input?: AnyTool['input'];
  /** Runs the tool without a framework's own context: as an alternative, or from a loop of one's own. */
  readonly run: (args: never, context: AttemptContext) => unknown;
  /** What the framework says of it, such as a tool's annotations; the user's settings win over it. */
  readonly policy?: ToolOptions | undefined;
}

/** The service behind an adapter, and what its runs have in common. */
export class Reliable {
  /** The service that runs the tools. Its circuits, budgets and metrics are shared by all runs. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  readonly #options: ReliableOptions;
  readonly #readArguments: ArgumentReader;
  readonly #executors: CallExecutors = callExecutors();

  /**
   * @param readerOver What reads arguments in place of the user's reader, where the framework has read them or knows more of their schemas.
   * @throws TypeError | RangeError naming the option, its value and how to fix it.
   */
  constructor(
    tools: readonly FrameworkTool[],
    options: ReliableOptions = {},
    readerOver: (reader: ArgumentReader) => ArgumentReader = (reader) => reader,
  ) {
    checkReliableOptions(
      options,
      tools.map(({ name }) => name),
    );
    const {
      tools: toolOptions,
      middleware = [],
      run: _run,
      readArguments: _read,
      dependsOn: _dependsOn,
      backend: _backend,
      onRepair: _onRepair,
      ...service
    } = options;
    this.#options = options;
    this.#readArguments = readerOver(options.readArguments ?? readArguments);
    this.service = new ToolExecutionService({
      jsonSchema: compileLenientSchema,
      ...service,
      middleware: [...middleware, this.#executors.middleware],
      tools: tools.map(({ policy, ...source }) => defineTool({ ...policy, ...toolOptions?.[source.name], ...source } as Definition)),
    });
    // What is wrong with the options of runs is said here, not in the middle of the first conversation.
    this.startRun();
  }

  /** Begins a run: one conversation with one agent. */
  startRun(session?: AnySession): AgentRun {
    return new AgentRun({
      ...this.#options.run,
      service: this.service,
      session,
      readArguments: this.#readArguments,
      executors: this.#executors,
    });
  }

  /** The calls of one answer, each with what it waits for (`dependsOn`). Whatever the user's function does, there are as many calls as before. */
  withDependencies(calls: readonly ModelCall[]): readonly ModelCall[] {
    const { dependsOn } = this.#options;
    if (!dependsOn) return calls;
    return calls.map((call) => ({ ...call, dependsOn: attempt(() => dependsOn(call, calls)) ?? [] }));
  }

  /** Answers the calls of one answer of the model: one answer per call, in call order. Never rejects. A call that wraps others is answered as one. */
  async answer(run: AgentRun, calls: readonly ModelCall[], options?: AnswerOptions): Promise<readonly ToolAnswer[]> {
    const unwrapped = unwrapEach(
      calls,
      this.service.tools.map(({ name }) => name),
    );
    const inside = this.withDependencies(unwrapped.flatMap((one) => one.inside));
    return rewrapAnswers(unwrapped, await run.answer(inside, options));
  }

  /** A request, or the transcript in it, as its provider accepts it; the same object where there is nothing to repair. Never throws. */
  repair<Request>(request: Request, format: Format, run?: AgentRun): Request {
    const { backend, onRepair } = this.#options;
    const { request: repaired, changes, problems } = repair(request, { format, profile: backend });
    if (changes.length === 0 && problems.length === 0) return repaired;
    run?.recordRepair({ format, profile: backend, changes });
    attempt(() => onRepair?.({ format, changes, problems }));
    return repaired;
  }
}

type Definition = Parameters<typeof defineTool>[0];

/** A user's function must not become a fault of the loop, neither now nor later. */
function attempt<Value>(task: () => Value): Value | undefined {
  try {
    const value = task();
    if (typeof value === 'object' && value !== null && 'then' in value) Promise.resolve(value).then(undefined, () => undefined);
    return value;
  } catch {
    return undefined;
  }
}
