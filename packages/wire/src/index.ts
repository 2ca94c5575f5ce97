// Transcripts
export { repair } from './repair/repair.ts';
export type { RepairOptions } from './repair/repair.ts';
export type { Repaired } from './repair/repair-transcript.ts';
export {
  aiSdkMessages,
  anthropicRequests,
  bedrockRequests,
  geminiContents,
  openaiChatMessages,
  openaiResponsesItems,
} from './repair/format-repairers.ts';
export type { FormatRepairer } from './repair/format-repairers.ts';
export { validate } from './repair/validate.ts';
export type { Validation } from './repair/validate.ts';
export type { Mapping } from './repair/name-mapping.ts';
export type { Change, RuleViolation } from './report.ts';
export { rules } from './rules.ts';
export type { ProviderRule, RuleKind, RuleId } from './rules.ts';
export { detectFormat } from './formats/detect-format.ts';
export { ResponseValidationMiddleware } from './response-validation-middleware.ts';
export type { ErrorResponse, ModelRequestError, ResponseValidationOptions, SanitizedResponse } from './response-validation-middleware.ts';
export { validateResponse } from './responses/validate-response.ts';
export type { ResponseOptions, ResponseValidation } from './responses/validate-response.ts';
export type { Ending, Finish } from './responses/finish-reasons.ts';
export type { ResponseCall } from './responses/read-response.ts';
export type { ToolTurn, ToolCallLike, ToolResultLike } from './responses/tool-turn.ts';
export { faultOf } from './faults/fault-of.ts';
export type { RequestFault } from './faults/fault-of.ts';
export { formats } from './transcript.ts';
export type { Format } from './transcript.ts';
export type { TranscriptFormat } from './formats/codecs.ts';
export { providerProfileOf, providerProfiles } from './profiles/profile-names.ts';
export type { ProviderProfile } from './profiles/profile-names.ts';
export { rulesFor as providerRules } from './profiles/rules-for.ts';
export type { ProviderRules, ResultPlacement } from './profiles/provider-rules.ts';

// Arguments, schemas, streams
export { cleanJsonSchema } from './schema/clean-schema.ts';
export { coerce } from './schema/coerce.ts';
export { compileLenientSchema } from './schema/compile-schema.ts';
export { fromAjv } from './schema/from-ajv.ts';
export type { AjvError, AjvLike } from './schema/from-ajv.ts';
export type { CleanSchema, SchemaWarning } from './schema/clean-schema.ts';
export type { Coerced, Coercion } from './schema/coerce.ts';
export type { JsonSchemaCheck, LenientSchemaOptions } from './schema/compile-schema.ts';
export { nativePatterns } from './schema/walk/patterns.ts';
export type { PatternEngine, SchemaPattern } from './schema/walk/patterns.ts';
export type { SchemaIssue } from './schema/schema-issues.ts';
export { argumentReader, readArguments } from './arguments/read-arguments.ts';
export { unwrapCalls } from './arguments/unwrap-calls.ts';
export type { ArgumentReaderOptions } from './arguments/read-arguments.ts';
export { assembleStream } from './stream/assemble-stream.ts';
export type { AssembledAnswer, AssembledCall } from './stream/assembled-calls.ts';
export type { StreamAssembly, StreamFormat } from './stream/assemble-stream.ts';

// A guarded fetch
export { guardFetch } from './fetch/guard-fetch.ts';
export type { ValidationRecorder } from './validation-recorder.ts';
export type { Fetch, FetchReport, GuardFetchOptions } from './fetch/guard-fetch.ts';
