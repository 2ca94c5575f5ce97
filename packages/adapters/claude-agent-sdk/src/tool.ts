/** Owns the definitions of tools: the SDK's, with their names in the type. */
import { tool as define, type SdkMcpToolDefinition } from '@anthropic-ai/claude-agent-sdk';

/** A tool made by `tool()` of the SDK, or of this package. */
export interface ClaudeTool {
  /** Name of the tool, without the prefix of its server. */
  readonly name: string;
  /** What the tool does, as the model reads it. */
  readonly description: string;
  /** Zod types by argument. */
  readonly inputSchema: object;
  /** Hints about the tool; those about its effect decide what is repeated. */
  readonly annotations?: object | undefined;
  /** Runs the tool. */
  readonly handler: (args: never, extra: never) => Promise<unknown>;
}

/** The same as `tool()` of the SDK, but the compiler knows the name: misspelt names in settings are errors. */
export function tool<const Name extends string, Shape extends SdkMcpToolDefinition['inputSchema']>(
  name: Name,
  description: string,
  inputSchema: Shape,
  handler: SdkMcpToolDefinition<Shape>['handler'],
  extras?: Parameters<typeof define>[4],
): SdkMcpToolDefinition<Shape> & { readonly name: Name } {
  return define(name, description, inputSchema, handler, extras) as SdkMcpToolDefinition<Shape> & { readonly name: Name };
}
