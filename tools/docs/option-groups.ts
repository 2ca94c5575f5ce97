/** Owns which interfaces of options the reference prints, and their introductions. */

export interface OptionGroup {
  readonly title: string;
  readonly file: string;
  readonly name: string;
  readonly intro: string;
  /** Meanings of fields that have no comment. */
  readonly meanings?: Readonly<Record<string, string>>;
  /** Types of fields that depend on how they are used. */
  readonly types?: Readonly<Record<string, string>>;
}

const core = 'packages/core/src';

/** Options that no profile has a number for. */
export const optionGroups: readonly OptionGroup[] = [
  {
    title: 'Service',
    file: `${core}/runtime/service/options.ts`,
    name: 'ToolExecutionServiceOptions',
    intro: '`new ToolExecutionService(options)`. Misuse throws at once.',
    meanings: {
      tools: 'Created with `defineTool`; names are unique.',
      profile: 'The default settings.',
      redact: 'What is secret besides recognised secrets.',
    },
  },
  {
    title: 'One call, batch or turn',
    file: `${core}/runtime/service/execute-options.ts`,
    name: 'ExecuteOptions',
    intro: 'The second argument of `executeTool`, `executeToolBatch` and `executeTurn`.',
  },
  {
    title: 'A call of a batch, or alone',
    file: `${core}/runtime/service/tool-call.ts`,
    name: 'ToolCall',
    intro: '',
    meanings: { toolName: 'Name of the tool.', arguments: 'Arguments of the call.' },
  },
  {
    title: 'A call of a turn',
    file: `${core}/engine/turn/plan.ts`,
    name: 'PlannedCall',
    intro: '',
    meanings: { callId: 'Identifies the call in the plan and in its result.', toolName: 'Name of the tool.' },
  },
  {
    title: 'Recovery rule',
    file: `${core}/engine/recover/recovery-rules.ts`,
    name: 'RecoveryRule',
    intro: 'The first rule that allows or denies a strategy decides about it.',
    meanings: {
      when: 'Lists by `tool`, `category`, `classification`, `effect`, `turn`; every given list must contain the value. Left out: always.',
      allow: 'Strategies allowed against later rules.',
      deny: 'Strategies forbidden.',
      prefer: 'The strategy tried first, if its checks pass.',
      reason: 'Why, for the trace.',
    },
  },
  {
    title: 'Classification rule',
    file: `${core}/engine/classify/classification.ts`,
    name: 'ClassificationRule',
    intro: "A tool's `classification`: the first rule whose conditions all hold decides (docs/specification.md#s1-1-5).",
    meanings: { as: 'Class of the error.', category: 'Its category.' },
  },
  {
    title: 'Error handler alone',
    file: `${core}/engine/recover/error-handler.ts`,
    name: 'ErrorHandlerOptions',
    intro: '`new ErrorHandler(options)`; the service creates its own.',
    meanings: {
      recoveryRules: 'Rules that allow, deny or prefer a strategy.',
      advisor: 'May replace a built-in decision within its limits.',
    },
  },
  {
    title: 'Metrics',
    file: `${core}/projections/metrics/create-metrics.ts`,
    name: 'MetricsOptions',
    intro: '`createMetrics(options)` of `@holdfast/core/metrics`.',
  },
  {
    title: 'Alerts',
    file: `${core}/projections/alerts/engine.ts`,
    name: 'AlertEngineOptions',
    intro: '`createAlertEngine(options)` of `@holdfast/core/alerts` (docs/specification.md#s4).',
    meanings: { rules: 'The rules to evaluate.', inhibitRules: 'Which alerts suppress notifications of which others.' },
  },
  {
    title: 'Alert rules',
    file: `${core}/projections/alerts/default-rules.ts`,
    name: 'AlertRuleOptions',
    intro: '`defaultAlertRules(options)` of `@holdfast/core/alerts` (docs/specification.md#s4).',
    meanings: { failureRate: 'Alert above this share of failed calls.', executionTimeMs: "Alert above this mean of a tool's attempts." },
  },
  {
    title: 'Episodic memory',
    file: `${core}/projections/episodic-memory.ts`,
    name: 'EpisodicMemoryOptions',
    intro: '`createEpisodicMemory(options)`.',
  },
  {
    title: 'Redaction',
    file: `${core}/engine/plain/redact.ts`,
    name: 'RedactorOptions',
    intro: '`redact` of the service, or `createRedactor(options)`.',
  },
  {
    title: 'Memory store',
    file: `${core}/runtime/stores/memory-store.ts`,
    name: 'MemoryStoreOptions',
    intro: '`memoryStore(options)`.',
    meanings: { maxEvents: 'Maximum number of events; whole turns are removed, oldest first.', maxTurns: 'Maximum number of turns.' },
  },
  {
    title: 'SQLite store',
    file: 'packages/stores/sqlite/src/settings.ts',
    name: 'SqliteStoreOptions',
    intro: '`sqliteStore(options)` of `@holdfast/store-sqlite`.',
    meanings: { flushIntervalMs: 'Maximum delay before an event is written.' },
  },
  {
    title: 'PostgreSQL database',
    file: 'packages/stores/postgres/src/database/settings.ts',
    name: 'DatabaseOptions',
    intro: 'For everything in `@holdfast/store-postgres`. See the [guide](../guide/postgres.md).',
    meanings: { connection: 'The parts of the address, instead of one string.' },
  },
  {
    title: 'PostgreSQL store',
    file: 'packages/stores/postgres/src/settings.ts',
    name: 'PostgresStoreOptions',
    intro: '`postgresStore(options)` of `@holdfast/store-postgres`, in addition to those of the database.',
    meanings: { flushIntervalMs: 'Maximum delay before an event is written.' },
  },
  {
    title: 'PostgreSQL circuits',
    file: 'packages/stores/postgres/src/circuits/postgres-shared-circuits.ts',
    name: 'PostgresSharedCircuitsOptions',
    intro:
      "`postgresSharedCircuits(options)` of `@holdfast/store-postgres`, in addition to those of the database and of [a fleet's circuits](#a-fleets-circuits).",
  },
  {
    title: 'Sharing circuits',
    file: `${core}/distributed/fleet/share-circuits.ts`,
    name: 'CircuitSharingOptions',
    intro: '`shareCircuits(coordinator, options)` of `@holdfast/core/fleet`, see [shared circuits](../concepts/shared-circuits.md).',
  },
  {
    title: "A fleet's circuits",
    file: `${core}/distributed/fleet/fleet-settings.ts`,
    name: 'FleetCircuitSettings',
    intro: 'Settings of a coordinator: `memorySharedCircuits(settings)`, `circuitObject(settings)` of `@holdfast/durable`.',
  },
  {
    title: 'Circuits on Restate',
    file: 'packages/durable/src/circuits/restate-shared-circuits.ts',
    name: 'RestateSharedCircuitsOptions',
    intro: '`restateSharedCircuits(options)` of `@holdfast/durable`: a coordinator.',
  },
  {
    title: 'Turns on Restate',
    file: 'packages/durable/src/turns/turn-service-options.ts',
    name: 'TurnServiceOptions',
    intro:
      '`createTurnService(options)`, `createTurnEndpoint(options)` and `createTurnWorker(options)` of `@holdfast/durable`, see [durable turns](../concepts/durable-turns.md).',
  },
  {
    title: 'Turn worker',
    file: 'packages/durable/src/worker/turn-worker.ts',
    name: 'TurnWorkerOptions',
    intro: '`createTurnWorker(options)` of `@holdfast/durable`, in addition to those of turns on Restate.',
    meanings: { listen: 'Host and port at which Restate reaches the worker.' },
  },
  {
    title: 'Client of durable turns',
    file: 'packages/durable/src/client/turn-client.ts',
    name: 'TurnClientOptions',
    intro: '`createTurnClient(options)` of `@holdfast/durable`.',
  },
  {
    title: 'History',
    file: `${core}/projections/history/history.ts`,
    name: 'HistoryOptions',
    intro: '`createHistory(options)` of `@holdfast/core/history`.',
    meanings: { limits: 'Limits of the data in memory.' },
  },
  {
    title: 'SQLite history',
    file: 'packages/stores/sqlite/src/history/sqlite-history.ts',
    name: 'SqliteHistoryOptions',
    intro: '`sqliteHistory(options)` of `@holdfast/store-sqlite/history`.',
  },
  {
    title: 'PostgreSQL history',
    file: 'packages/stores/postgres/src/history/postgres-history.ts',
    name: 'PostgresHistoryOptions',
    intro: '`postgresHistory(options)` of `@holdfast/store-postgres/history`, in addition to those of the database.',
  },
  {
    title: 'Transcript repair',
    file: 'packages/wire/src/repair/repair.ts',
    name: 'RepairOptions',
    intro: '`repair(request, options)` and `validate(request, options)` of `@holdfast/wire`.',
  },
  {
    title: 'Response validation',
    file: 'packages/wire/src/response-validation-middleware.ts',
    name: 'ResponseValidationOptions',
    intro: '`new ResponseValidationMiddleware(options)` of `@holdfast/wire` (docs/specification.md#s4).',
  },
  {
    title: 'Tool',
    file: `${core}/engine/tool/tool.ts`,
    name: 'PlainToolDefinition',
    intro:
      '`defineTool(definition)`; the [tool settings](#tool-settings) are options too. A Standard Schema as `input` types the arguments; otherwise `run` does.',
    types: { input: 'StandardSchema | JsonSchema' },
  },
  {
    title: 'Agent run',
    file: `${core}/agent/loop/options.ts`,
    name: 'AgentRunOptions',
    intro: '`new AgentRun(options)` of `@holdfast/core/agent`, see [agent run](../concepts/agent-run.md). Misuse throws at once.',
  },
  {
    title: 'A call of a model',
    file: `${core}/agent/loop/model-call.ts`,
    name: 'ModelCall',
    intro: '',
    meanings: { toolName: 'Name of the tool.', callId: 'Returned in the answer.' },
  },
  {
    title: 'Inference',
    file: `${core}/agent/loop/inference.ts`,
    name: 'InferenceOptions',
    intro: '`runInference(options)`. The options of the agent run, except `service` and `turn`, are options too.',
    meanings: { model: 'A function: one request, one answer.', messages: 'The conversation so far.', turn: 'Settings of the turns.' },
  },
  {
    title: 'Validation retries',
    file: `${core}/engine/settings/validation-retries.ts`,
    name: 'RetryPolicy',
    intro:
      '`validationRetries` of an agent run, of one of its tools, or of a call (docs/specification.md#s2), see [validation retries](../concepts/validation-retries.md).',
  },
  {
    title: 'Session',
    file: `${core}/agent/session/session.ts`,
    name: 'SessionOptions',
    intro: '`new Session(options)`, see [session](../concepts/session.md).',
    meanings: { redact: 'What is secret. Default: recognised secrets.' },
  },
  {
    title: 'Structured output',
    file: `${core}/agent/session/structured-output.ts`,
    name: 'StructuredOutputOptions',
    intro: '`parseStructured(text, schema, options)`.',
  },
  {
    title: 'Retry on its own',
    file: `${core}/standalone/retry.ts`,
    name: 'RetryOptions',
    intro:
      '`retry(task, options)`, see [the guide](../guide/retry-and-breaker.md). All `retry.…` settings above are options too, with the defaults of `spec`.',
  },
  {
    title: 'Circuit breaker on its own',
    file: `${core}/standalone/circuit-breaker.ts`,
    name: 'CircuitBreakerOptions',
    intro:
      '`circuitBreaker(options)`. All `breaker.…` settings above, except `count` and `rate`, are options too, with the defaults of `spec`.',
  },
  {
    title: 'Reader of arguments',
    file: 'packages/wire/src/arguments/read-arguments.ts',
    name: 'ArgumentReaderOptions',
    intro: '`argumentReader(options)` of `@holdfast/wire`.',
  },
  {
    title: 'Guarded fetch',
    file: 'packages/wire/src/fetch/guard-fetch.ts',
    name: 'GuardFetchOptions',
    intro: '`guardFetch(fetch, options)` of `@holdfast/wire`.',
  },
];
