/** JSON Schemas: cleaning, compiling, and coercing values. */
export { fromAjv } from './from-ajv.ts';
export type { AjvError, AjvLike } from './from-ajv.ts';
export { cleanJsonSchema } from './clean-schema.ts';
export type { CleanSchema, SchemaWarning } from './clean-schema.ts';
export { coerce } from './coerce.ts';
export type { Coerced, Coercion } from './coerce.ts';
export { compileLenientSchema } from './compile-schema.ts';
export type { JsonSchemaCheck } from './compile-schema.ts';
export type { SchemaIssue } from './schema-issues.ts';
