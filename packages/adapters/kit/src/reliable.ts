/** Owns what `ParsedReliable` leaves out: the reader of arguments and the checker of JSON Schemas of `@holdfast/wire`. */
import type { ArgumentReader } from '@holdfast/core/agent';
import type { FrameworkTool } from './framework-tool.ts';
import type { ReliableOptions } from './options.ts';
import { ParsedReliable } from './parsed-reliable.ts';
import { compileLenientSchema, readArguments } from '@holdfast/wire';

/** The service behind an adapter, and the context shared by its runs. */
export class Reliable extends ParsedReliable {
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
  }
}
