/** JSON Schemas: tidied, compiled, and values mended by them. */
export { fromAjv } from './ajv.ts';
export type { AjvError, AjvLike } from './ajv.ts';
export { cleanJsonSchema } from './clean.ts';
export type { CleanSchema, SchemaWarning } from './clean.ts';
export { coerce } from './coerce.ts';
export type { Coerced, Coercion } from './coerce.ts';
export { compileLenientSchema } from './compile.ts';
export type { JsonSchemaCheck } from './compile.ts';
export type { SchemaIssue } from './issues.ts';
