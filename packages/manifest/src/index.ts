/** Reads `holdfast.yaml` and turn files: checked, typed, every error with its line, column and a suggested fix. */
export { loadManifest, loadPolicy, loadTurn } from './load.ts';
export type { LoadOptions, TurnTools } from './load.ts';
export { parseManifest } from './parse-manifest.ts';
export type { ManifestResult, ParseOptions } from './parse-manifest.ts';
export { parseChanges } from './parse-changes.ts';
export type { Changes, ChangesParseOptions, ChangesResult } from './parse-changes.ts';
export { parsePolicy } from './parse-policy.ts';
export type { PolicyParseOptions } from './parse-policy.ts';
export type { PolicyFile, PolicyResult } from './policy-file.ts';
export { parseTurn, parseTurnInSteps } from './parse-turn.ts';
export type { TurnParseOptions, ParsedTurn } from './parse-turn.ts';
export type { Manifest, ModuleEntry, RedactEntry, RunEntry, ToolEntry } from './manifest.ts';
export type { EngineEntry, RestateEntry, SharedCircuitsEntry, WorkerEntry, WorkerListen } from './entries/engine.ts';
export type { OtlpEntry, TelemetryEntry } from './entries/telemetry.ts';
export type { PostgresEntry, PostgresStoreEntry, SqliteStoreEntry, StoreEntry } from './entries/store.ts';
export type {
  CommonServerOptions,
  IdentityProviderEntry,
  McpCommandEntry,
  McpOfferEntry,
  McpServerAuth,
  McpServerEntry,
  McpUrlEntry,
  OfferEntry,
  OpenapiEntry,
  UpstreamToolEntry,
} from './entries/upstream.ts';
export type { AlertRulesEntry, AlertsEntry, ReceiverEntry, ReceiverKind } from './entries/alerts.ts';
export type {
  GatewayAccess,
  GatewayAuth,
  GatewayCallLimits,
  GatewayEndpoint,
  GatewayEntry,
  GatewayIntrospection,
  GatewayIssuer,
  GatewayLimits,
  GatewayListen,
  GatewayNames,
  GatewayHistory,
  GatewayResults,
  GatewayRole,
  GatewayToken,
  ModelEntry,
  ModelProvider,
} from './entries/gateway.ts';
export type { PathStep, Problem, ProblemCode } from './problem.ts';
export { formatProblem } from './format-problem.ts';
export type { FormatOptions } from './format-problem.ts';
export { buildTools } from './build-tools.ts';
export { mcpServerOptions } from './mcp-servers.ts';
export type { AuthorizerOf, Servers } from './mcp-servers.ts';
export { loadTools } from './load-tools.ts';
export type { LoadedTools } from './load-tools.ts';
export { loadOpenapi } from './load-openapi.ts';
export type { LoadedOpenapi, OpenapiBuiltTool, OpenapiLoadOptions, OpenapiLoadProblem } from './load-openapi.ts';
export { offeredName, withTail } from './offer/offered-name.ts';
export type { NameRules } from './offer/offered-name.ts';
export { isOffered } from './offer/globs.ts';
export { mergePolicies } from './offer/merge-policies.ts';
export type { BuildOptions, BuiltTools } from './build-tools.ts';
export { serviceOptions } from './service-options.ts';
export { postgresOptions } from './postgres-options.ts';
export type { PostgresPlace } from './postgres-options.ts';
export { fromPolicy, toPolicy } from './policy-words.ts';
export type { FilePolicy } from './policy-words.ts';
export { fromReport, fromResult } from './result-words.ts';
export type { FailureWords, ReportWords, ResultWords } from './result-words.ts';
export { checkJsonSchema, compileJsonSchema } from './json-schema/compile.ts';
export type { JsonSchemaValidator } from './json-schema/compile.ts';
export type { SchemaIssue } from '@holdfast/wire';
export type { SchemaFlaw } from './json-schema/check.ts';
export type { Environment } from './source/environment.ts';
export { commentedManifest } from './commented-manifest.ts';
export type { CommentedManifest, StarterFile } from './commented-manifest.ts';
export { manifestJsonSchema, policyJsonSchema, turnJsonSchema, worldJsonSchema } from './shape/json-schema.ts';
export { patchManifest } from './patch/patch-manifest.ts';
export type { ManifestPatch, PatchOptions } from './patch/patch-manifest.ts';
