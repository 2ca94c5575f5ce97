/** Which sources implement which requirements: faults are drawn by requirement, so that a long file counts no more than a short one. */

export interface Requirement {
  /** The section of the documents. */
  readonly section: string;
  /** Patterns of files, from the root of the repository. */
  readonly files: readonly string[];
}

const core = (section: string, ...files: readonly string[]): Requirement => ({
  section,
  files: files.map((file) => `packages/core/src/${file}.ts`),
});
const wire = (section: string, ...files: readonly string[]): Requirement => ({
  section,
  files: files.map((file) => `packages/wire/src/${file}.ts`),
});

export const requirements: readonly Requirement[] = [
  core('S0 1 error classification', 'engine/classify/*'),
  core('S0 2 retry policies', 'engine/backoff/*', 'engine/call/{attempts,failure,fault,remaining-wait,state,machine}'),
  core('S0 3 circuit breaker', 'engine/breaker/*', 'runtime/drivers/{transition-event,tool-gates}'),
  core('S0 4 timeouts', 'engine/call/*', 'engine/turn/{machine,schedule,settle,state}', 'runtime/drivers/tool-runtime'),
  core('S0 5 cascading failures', 'engine/turn/*'),
  core('S0 6 error handler', 'engine/recover/*', 'projections/episodic-memory', 'engine/call/{decision-facts,failure}'),
  core('S0 2.2 and 6.2 settings and policies', 'engine/settings/*', 'engine/tool/*', '../../manifest/src/service-options'),
  core('S0 8 metrics and trace', 'projections/tool-metrics', 'engine/trace/*', 'engine/call/{events,failure-events,messages}'),
  core(
    'S2 policies and backoff',
    'agent/session/{backoff-strategies,retry-policy}',
    'agent/loop/{options,tool-signature,validation-attempts}',
  ),
  core('S2 execution flow', 'agent/loop/*', 'engine/schema/*'),
  core('S2 structured feedback', 'agent/session/{feedback,session,slices,events,plain}', 'agent/loop/{refusal,read-output,model-call}'),
  core('S2 reducer errors', 'agent/session/{errors,session,structured-output}', 'agent/loop/{record-result,run-state,run-inference}'),
  core('S2 observability', 'agent/session/{histogram,log,validation-metrics}'),
  core('S3 errors never propagate', 'runtime/service/*', 'engine/call/{result,messages,finish-call}', 'engine/schema/*'),
  core('S4 tool execution service', 'runtime/service/*', 'engine/call/*'),
  core('S4 metrics and their export', 'projections/tool-metrics', 'projections/metrics/*', 'projections/turn/*'),
  core('S4 alert conditions', 'projections/alerts/*'),
  wire('S4 request validation', 'definitions/*', 'repair/validate', 'response-validation-middleware'),
  wire('S4 response validation', 'responses/*', 'response-validation-middleware', 'fetch/guard-fetch'),
  wire('S4 auto-correction', 'repair/*', 'responses/tool-turn'),
];

/** No document asks for these: a second detector, held circuits, percentiles, certainty of rates, saved states and schemas of one provider. */
export const ours =
  /\/(?:breaker\/(?:hold|rate-detector|rolling-window|snapshot)|agent\/(?:loop\/incremental-|session\/saved)|metrics\/sketch|alerts\/(?:wilson|saved|sample-history|pattern-reader|silences)|definitions\/gemini-|classify\/database-codes)/u;
