/** Owns the list of JSON Schemas generated from the tables. */
import { manifestJsonSchema, policyJsonSchema, turnJsonSchema, worldJsonSchema } from './shape/json-schema.ts';

export interface GeneratedFile {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export function generateFiles(): readonly GeneratedFile[] {
  return [
    { path: 'packages/manifest/schema/holdfast.schema.json', text: json(manifestJsonSchema()) },
    { path: 'packages/manifest/schema/turn.schema.json', text: json(turnJsonSchema()) },
    { path: 'packages/manifest/schema/world.schema.json', text: json(worldJsonSchema()) },
    { path: 'packages/manifest/schema/policy.schema.json', text: json(policyJsonSchema()) },
  ];
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
