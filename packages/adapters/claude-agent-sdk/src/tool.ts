/** Owns the definitions of tools: the SDK's, with their names in the type. */
import { tool as define, type SdkMcpToolDefinition } from '@anthropic-ai/claude-agent-sdk';

/** A tool made by `tool()` of the SDK, or of this package. */
export interface ToolDefinition {
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

type AnyShape = SdkMcpToolDefinition['inputSchema'];
type Rest<Shape extends AnyShape> = [
  description: string,
  inputSchema: Shape,
  handler: SdkMcpToolDefinition<Shape>['handler'],
  extras?: Parameters<typeof define<Shape>>[4],
];

/** The names of tools where they are literals; `string` where one is not. */
export type NamesOf<Tool> = Tool extends { readonly name: infer Name extends string } ? Name : string;

/** The same as `tool()` of the SDK, but the compiler knows the name: misspelt names in settings are errors. */
export function tool<const Name extends string, Shape extends AnyShape>(
  name: Name,
  ...rest: Rest<Shape>
): SdkMcpToolDefinition<Shape> & { readonly name: Name } {
  return define(name, ...rest) as SdkMcpToolDefinition<Shape> & { readonly name: Name };
}
