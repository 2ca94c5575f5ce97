/** Owns creating the tools that the service runs. */
import { type AnyTool, type ClassificationRule, defineTool, type Runner, type ToolPolicy } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { uncheckedOutput } from '../patterns/unchecked-outputs.ts';
import { argumentsSchema } from './arguments-schema.ts';

export interface ToolParts {
  readonly name: string;
  readonly description: string | undefined;
  readonly input: JsonObject | undefined;
  /** Whether the runner checks outputs by a schema. */
  readonly checksOutput: boolean;
  readonly classification: readonly ClassificationRule[] | undefined;
  readonly run: Runner<unknown>;
  readonly settings: ToolPolicy;
}

export function makeTool({ name, description, input, checksOutput, classification, run, settings }: ToolParts): AnyTool {
  const definition = {
    ...settings,
    name,
    run,
    ...(description === undefined ? {} : { description }),
    ...(classification === undefined ? {} : { classification }),
    ...(checksOutput ? { output: uncheckedOutput } : {}),
  };
  return input === undefined ? defineTool(definition) : defineTool({ ...definition, input: argumentsSchema(input) });
}
