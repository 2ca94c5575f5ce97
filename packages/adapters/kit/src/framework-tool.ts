/** Owns the form in which adapters hand the tools of a framework to the service. */
import type { AnyTool, AttemptContext, JsonSchema } from '@holdfast/core';
import type { ToolOptions } from './options.ts';

/** A framework's tool in the form of the service. */
export interface FrameworkTool {
  /** Name of the tool, unique in the program. */
  readonly name: string;
  /** What the tool does, as the model reads it. */
  readonly description?: string | undefined;
  /** Validates arguments before the tool runs; omit it if the framework has validated them already. */
  readonly input?: AnyTool['input'];
  /** The JSON Schema that the model is shown, where `input` is none: for the reader of arguments, and for errors. */
  readonly schema?: JsonSchema | (() => JsonSchema | undefined) | undefined;
  /** Runs the tool without the framework's context: as an alternative, or from a custom loop. */
  readonly run: (args: never, context: AttemptContext) => unknown;
  /** Settings from the framework, such as a tool's annotations; overridden by the user's settings. */
  readonly policy?: ToolOptions | undefined;
}
