/** Owns creating the tools that the service runs. */
import { type AnyTool, type ClassificationRule, defineTool, type Runner, type ToolPolicy } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { argumentsSchema } from './arguments-schema.ts';

export interface ToolParts {
  readonly name: string;
  readonly description: string | undefined;
  readonly input: JsonObject | undefined;
  readonly classification: readonly ClassificationRule[] | undefined;
  readonly run: Runner<unknown>;
  readonly settings: ToolPolicy;
}

export function makeTool({ name, description, input, classification, run, settings }: ToolParts): AnyTool {
  const definition = {
    ...settings,
    name,
    run,
    ...(description === undefined ? {} : { description }),
    ...(classification === undefined ? {} : { classification }),
  };
  return input === undefined ? defineTool(definition) : defineTool({ ...definition, input: argumentsSchema(input) });
}
