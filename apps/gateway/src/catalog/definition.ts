/** Owns the definition of a tool that does not come from a server. */
import type { AnyTool, Schema } from '@holdfast/core';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import { annotationsOf } from './effect.ts';

export function definitionOf({ name, description, input, output, policy }: AnyTool): JsonObject {
  const inputSchema = jsonSchemaOf(input);
  const outputSchema = jsonSchemaOf(output);
  const annotations = annotationsOf(policy.effect);
  return {
    name,
    ...(description === undefined ? {} : { description }),
    // The protocol requires the schema of an object.
    inputSchema: inputSchema === undefined ? { type: 'object' } : { ...inputSchema, type: 'object' },
    ...(outputSchema?.['type'] === 'object' ? { outputSchema } : {}),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** Schemas of libraries are not available as JSON Schema here. */
function jsonSchemaOf(schema: Schema | undefined): JsonObject | undefined {
  return isJsonObject(schema) && !('~standard' in schema) ? schema : undefined;
}
