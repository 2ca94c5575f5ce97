/** Owns which interfaces of options the reference prints, and where they are used. */

export interface OptionGroup {
  readonly title: string;
  readonly file: string;
  readonly name: string;
  readonly intro: string;
  /** Meanings of fields that have no comment. */
  readonly meanings?: Readonly<Record<string, string>>;
  /** Types of fields that depend on how it is called. */
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
      tools: 'Made with `defineTool`; names are unique.',
      profile: 'The numbers everything starts from.',
      redact: 'What is secret besides what is recognised as such.',
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
    meanings: { toolName: 'Which tool.', arguments: 'What it is called with.' },
  },
  {
    title: 'A call of a turn',
    file: `${core}/engine/turn/plan.ts`,
    name: 'PlannedCall',
    intro: '',
    meanings: { callId: 'Names the call in the plan and in its result.', toolName: 'Which tool.' },
  },
  {
    title: 'Recovery rule',
    file: `${core}/engine/recover/recovery-rules.ts`,
    name: 'RecoveryRule',
    intro: 'The first rule that allows or denies a strategy decides about it.',
    meanings: {
      when: 'Lists by `tool`, `category`, `classification`, `effect`, `turn`; every list given must hold the value. Left out: always.',
      allow: 'Strategies allowed against later rules.',
      deny: 'Strategies forbidden.',
      prefer: 'The strategy tried first, where its checks hold.',
      reason: 'Why, for the trace.',
    },
  },
  {
    title: 'Classification rule',
    file: `${core}/engine/classify/classification.ts`,
    name: 'ClassificationRule',
    intro: "A tool's `classification`: the first rule whose every condition holds decides (S1 1.5).",
    meanings: { as: 'What the error is.', category: 'Its category.' },
  },
  {
    title: 'Error handler alone',
    file: `${core}/engine/recover/error-handler.ts`,
    name: 'ErrorHandlerOptions',
    intro: '`new ErrorHandler(options)`; the service makes its own.',
    meanings: { recoveryRules: 'Rules that allow, deny or prefer a strategy.', advisor: 'A say of your own in every decision.' },
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
    intro: '`createAlertEngine(options)` of `@holdfast/core/alerts` (S4).',
    meanings: { rules: 'What it evaluates.', inhibitRules: 'What makes which alert needless to tell.' },
  },
  {
    title: 'Alert rules',
    file: `${core}/projections/alerts/default-rules.ts`,
    name: 'AlertRuleOptions',
    intro: '`defaultAlertRules(options)` of `@holdfast/core/alerts` (S4).',
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
    meanings: { maxEvents: 'Events kept; whole turns go, oldest first.', maxTurns: 'Turns kept.' },
  },
  {
    title: 'SQLite store',
    file: 'packages/stores/sqlite/src/settings.ts',
    name: 'SqliteStoreOptions',
    intro: '`sqliteStore(options)` of `@holdfast/store-sqlite`.',
    meanings: { flushIntervalMs: 'At the latest so long after an event it is written.' },
  },
  {
    title: 'PostgreSQL database',
    file: 'packages/stores/postgres/src/database/settings.ts',
    name: 'DatabaseOptions',
    intro: 'Of everything in `@holdfast/store-postgres`. Its [guide](../guide/postgres.md).',
    meanings: { connection: 'The parts of the address, where it is not one text.' },
  },
  {
    title: 'PostgreSQL store',
    file: 'packages/stores/postgres/src/settings.ts',
    name: 'PostgresStoreOptions',
    intro: '`postgresStore(options)` of `@holdfast/store-postgres`, beside those of the database.',
    meanings: { flushIntervalMs: 'At the latest so long after an event it is written.' },
  },
  {
    title: 'PostgreSQL circuits',
    file: 'packages/stores/postgres/src/circuits/postgres-shared-circuits.ts',
    name: 'PostgresSharedCircuitsOptions',
    intro:
      "`postgresSharedCircuits(options)` of `@holdfast/store-postgres`, beside those of the database and of [a fleet's circuits](#a-fleets-circuits).",
  },
  {
    title: 'Sharing circuits',
    file: `${core}/distributed/fleet/share-circuits.ts`,
    name: 'CircuitSharingOptions',
    intro: '`shareCircuits(keeper, options)` of `@holdfast/core/fleet`, see [shared circuits](../concepts/shared-circuits.md).',
  },
  {
    title: "A fleet's circuits",
    file: `${core}/distributed/fleet/fleet-settings.ts`,
    name: 'FleetCircuitSettings',
    intro: 'What a keeper goes by: `memorySharedCircuits(settings)`, `circuitObject(settings)` of `@holdfast/durable`.',
  },
  {
    title: 'Circuits on Restate',
    file: 'packages/durable/src/circuits/restate-shared-circuits.ts',
    name: 'RestateSharedCircuitsOptions',
    intro: '`restateSharedCircuits(options)` of `@holdfast/durable`: a keeper.',
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
    intro: '`createTurnWorker(options)` of `@holdfast/durable`, beside those of turns on Restate.',
    meanings: { listen: 'Host and port, on which Restate reaches the worker.' },
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
    meanings: { limits: 'What is kept in memory.' },
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
    intro: '`postgresHistory(options)` of `@holdfast/store-postgres/history`, beside those of the database.',
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
    intro: '`new ResponseValidationMiddleware(options)` of `@holdfast/wire` (S4).',
  },
  {
    title: 'Tool',
    file: `${core}/engine/tool/tool.ts`,
    name: 'PlainToolDefinition',
    intro:
      '`defineTool(definition)`; the [tool settings](#tool-settings) stand beside these. A Standard Schema as `input` types the arguments; otherwise `run` does.',
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
    meanings: { toolName: 'Which tool.', callId: 'Given back in the answer.' },
  },
  {
    title: 'Inference',
    file: `${core}/agent/loop/inference.ts`,
    name: 'InferenceOptions',
    intro: '`runInference(options)`. Those of the agent run but `service` and `turn` stand beside these.',
    meanings: { model: 'A function: one request, one answer.', messages: 'The conversation so far.', turn: 'Settings of the turns.' },
  },
  {
    title: 'Validation retries',
    file: `${core}/agent/session/retry-policy.ts`,
    name: 'RetryPolicy',
    intro:
      '`validationRetries` of an agent run, of one of its tools, or of a call (S2), see [validation retries](../concepts/validation-retries.md).',
  },
  {
    title: 'Session',
    file: `${core}/agent/session/session.ts`,
    name: 'SessionOptions',
    intro: '`new Session(options)`, see [session](../concepts/session.md).',
    meanings: { redact: 'What is secret. Default: what is recognised as such.' },
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
      '`retry(task, options)`, see [the guide](../guide/retry-and-breaker.md). Any of `retry.…` above stand beside these, with the defaults of `spec`.',
  },
  {
    title: 'Circuit breaker on its own',
    file: `${core}/standalone/circuit-breaker.ts`,
    name: 'CircuitBreakerOptions',
    intro: '`circuitBreaker(options)`. Any of `breaker.…` above but `count` and `rate` stand beside these, with the defaults of `spec`.',
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
