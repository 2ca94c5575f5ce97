// Transcripts

// Arguments, schemas, streams
export { cleanJsonSchema, coerce, compileJsonSchema, fromAjv } from './schema/index.ts';
export type { AjvError, AjvLike, CleanSchema, Coerced, Coercion, JsonSchemaCheck, SchemaIssue, SchemaWarning } from './schema/index.ts';
