/** Owns what `ParsedReliable` leaves out: the reader of arguments, the checker of JSON Schemas, and calls that wrap others. */
import type { AgentRun, AnswerOptions, ArgumentReader, ModelCall, ToolAnswer } from '@holdfast/core/agent';
import type { FrameworkTool } from './framework-tool.ts';
import type { ReliableOptions } from './options.ts';
import { ParsedReliable } from './parsed-reliable.ts';
import { rewrapAnswers, unwrapEach } from './unwrap-calls.ts';
import { compileLenientSchema, readArguments } from '@holdfast/wire';

/** The service behind an adapter, and the context shared by its runs. */
export class Reliable extends ParsedReliable {
  readonly #toolNames: readonly string[];

  /**
   * @param wrapReader wraps the user's argument reader, if the framework has parsed the arguments or knows their schemas
   * @param allTools false if further tools may appear later: settings may then name tools that are not known yet
   * @throws TypeError | RangeError naming the option, its value and how to fix it.
   */
  constructor(
    tools: readonly FrameworkTool[],
    options: ReliableOptions = {},
    wrapReader: (reader: ArgumentReader) => ArgumentReader = (reader) => reader,
    allTools = true,
  ) {
    super(tools, options, { readerOf: (own = readArguments) => wrapReader(own), jsonSchema: compileLenientSchema, allTools });
    this.#toolNames = tools.map(({ name }) => name);
  }

  /** Answers the calls of one response of the model, in call order. Never rejects. A call that wraps others gets one answer. */
  override async answer(run: AgentRun, calls: readonly ModelCall[], options?: AnswerOptions): Promise<readonly ToolAnswer[]> {
    const unwrapped = unwrapEach(calls, this.#toolNames);
    const inside = unwrapped.flatMap((one) => one.inside);
    return rewrapAnswers(unwrapped, await super.answer(run, inside, options));
  }
}
