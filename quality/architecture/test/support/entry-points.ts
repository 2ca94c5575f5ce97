/**
 * Owns the list of everything that takes options or rules: how each is given them, and options that it accepts. A new interface of options gets a line here, or
 * one in `notGiven` with the reason.
 */
import { resolve } from 'node:path';
import * as kit from '@holdfast/adapter-kit';
import * as aiSdk from '@holdfast/ai-sdk';
import * as anthropic from '@holdfast/anthropic';
import * as core from '@holdfast/core';
import * as agent from '@holdfast/core/agent';
import * as alerts from '@holdfast/core/alerts';
import * as fleet from '@holdfast/core/fleet';
import * as history from '@holdfast/core/history';
import * as journal from '@holdfast/core/journal';
import * as metrics from '@holdfast/core/metrics';
import * as replay from '@holdfast/core/replay';
import * as standalone from '@holdfast/core/standalone';
import * as testing from '@holdfast/core/testing';
import * as turnView from '@holdfast/core/turn-view';
import * as durable from '@holdfast/durable';
import * as durableTesting from '@holdfast/durable/testing';
import * as langchain from '@holdfast/langchain';
import * as manifest from '@holdfast/manifest';
import * as mcp from '@holdfast/mcp';
import * as mcpClient from '@holdfast/mcp-wire/client';
import * as mcpServer from '@holdfast/mcp-wire/server';
import * as openai from '@holdfast/openai';
import * as openaiAgents from '@holdfast/openai-agents';
import * as runners from '@holdfast/runners';
import * as simulate from '@holdfast/simulate';
import * as postgres from '@holdfast/store-postgres';
import * as postgresHistory from '@holdfast/store-postgres/history';
import * as postgresTesting from '@holdfast/store-postgres/testing';
import * as sqlite from '@holdfast/store-sqlite';
import * as sqliteHistory from '@holdfast/store-sqlite/history';
import * as telemetryAlerts from '@holdfast/telemetry/alerts';
import * as telemetryExport from '@holdfast/telemetry/export';
import * as openTelemetry from '@holdfast/telemetry/opentelemetry';
import * as prometheus from '@holdfast/telemetry/prometheus';
import * as whatIf from '@holdfast/what-if';
import * as wire from '@holdfast/wire';

/** What takes options. It throws or rejects, or its result has the problem. */
export interface EntryPoint {
  /** Interface of the options, as a report under `api/` names it. */
  readonly options: string;
  /** The functions that take them, by name. */
  readonly given: Readonly<Record<string, (options: never) => unknown>>;
  /** Options that are accepted. @default {} */
  readonly valid?: object;
  /** Fields that take any value, so none is wrong. */
  readonly anything?: readonly string[];
  /** Fields for which `null` has a meaning. */
  readonly nullable?: readonly string[];
  /** Valid options would start or read something: they are only refused here. @default false */
  readonly onlyRefuses?: boolean;
}

const system = testing.manualSystem();
const tool = core.defineTool({ name: 'search', run: () => 'found' });
const tools = [tool] as const;
const service = new core.ToolExecutionService({ system, tools });
const run = (): agent.AgentRun => new agent.AgentRun({ service });
const call = { callId: 'a', toolName: 'search', arguments: {} } as const;
const openStore = (): ReturnType<typeof core.memoryStore> => core.memoryStore();
const rule: core.RecoveryRule = { name: 'once', deny: 'retry' };
const recoveryRules = (given: never): { readonly recoveryRules: readonly core.RecoveryRule[] } => ({ recoveryRules: [given] });
const [alertRule] = alerts.defaultAlertRules();
const [inhibitRule] = alerts.defaultInhibitRules;
const plain = { name: 'search', run: () => 'found' };
const events = (await service.executeTurn({ turnId: 'turn', calls: [call] })).trace;
const emptyManifest = manifest.parseManifest('tools: [{ id: search, run: { command: { command: ls } } }]').manifest as manifest.Manifest;
const postgresAddress = { url: 'postgres://127.0.0.1:1/none' };
const addresses = { ingressUrl: 'http://127.0.0.1:1' };
const worker = { service };

export const entryPoints: readonly EntryPoint[] = [
  // The service
  {
    options: 'ToolExecutionServiceOptions',
    given: { ToolExecutionService: (given) => new core.ToolExecutionService(given) },
    valid: { tools, system, recoveryRules: [rule] },
  },
  {
    options: 'ExecuteOptions',
    given: {
      executeTool: (given) => service.executeTool(call, given),
      executeToolBatch: (given) => service.executeToolBatch([call], given),
      executeTurn: (given) => service.executeTurn({ calls: [call] }, given),
    },
  },
  {
    options: 'ToolCall',
    given: { executeTool: (given) => service.executeTool(given), executeToolBatch: (given) => service.executeToolBatch([given]) },
    valid: call,
    // An id that cannot be read is replaced: every call has one result, whatever its id is.
    anything: ['arguments', 'callId'],
  },
  {
    options: 'TurnPlan',
    given: { executeTurn: (given) => service.executeTurn(given) },
    valid: { calls: [call] },
    nullable: ['timeoutMs', 'maxRetries'],
  },
  {
    options: 'PlannedCall',
    given: { executeTurn: (given) => service.executeTurn({ calls: [given] }) },
    valid: call,
    anything: ['arguments'],
  },
  {
    options: 'ToolDefinitionBase',
    given: { defineTool: (given: never) => core.defineTool((isPlain(given) ? { run: () => 1, ...(given as object) } : given) as never) },
    valid: { name: 'search' },
  },
  {
    options: 'ToolPolicy',
    given: {
      ToolExecutionService: (given) => new core.ToolExecutionService({ tools, system, policy: given }),
      replaceTools: (given) => service.replaceTools(tools, given),
    },
    valid: { timeoutMs: 5 },
  },
  {
    options: 'TurnSettings',
    given: {
      ToolExecutionService: (given) => new core.ToolExecutionService({ tools, system, turn: given }),
      AgentRun: (given) => new agent.AgentRun({ service, turn: given }),
    },
    nullable: ['timeoutMs', 'maxRetries'],
  },
  {
    options: 'RecoveryRule',
    given: {
      ToolExecutionService: (given) => new core.ToolExecutionService({ tools, system, ...recoveryRules(given) }),
      ErrorHandler: (given) => new core.ErrorHandler(recoveryRules(given)),
      replayTurn: (given) => replay.replayTurn(events, recoveryRules(given)),
      holdfast: (given) => simulate.holdfast(recoveryRules(given)),
    },
    valid: rule,
  },
  {
    options: 'RecoveryCondition',
    given: {
      ToolExecutionService: (given) => new core.ToolExecutionService({ tools, system, recoveryRules: [{ ...rule, when: given }] }),
      ErrorHandler: (given) => new core.ErrorHandler({ recoveryRules: [{ ...rule, when: given }] }),
    },
    valid: { tool: 'search' },
  },
  {
    options: 'ClassificationRule',
    given: {
      compileRules: (given) => core.compileRules([given]),
      defineTool: (given) => core.defineTool({ ...plain, classification: [given] }),
    },
    valid: { status: 404, as: 'transient' },
  },
  { options: 'ErrorHandlerOptions', given: { ErrorHandler: (given) => new core.ErrorHandler(given) } },
  { options: 'EpisodicMemoryOptions', given: { createEpisodicMemory: core.createEpisodicMemory } },
  { options: 'MemoryStoreOptions', given: { memoryStore: core.memoryStore } },
  { options: 'RedactorOptions', given: { createRedactor: core.createRedactor } },
  { options: 'ClassifyOptions', given: { classify: (given) => core.classify(new Error('down'), given) }, valid: { nowEpochMs: 0 } },
  // Agents
  { options: 'AgentRunOptions', given: { AgentRun: (given) => new agent.AgentRun(given) }, valid: { service } },
  { options: 'AnswerOptions', given: { answer: (given) => run().answer([call], given) } },
  { options: 'AnswerOneOptions', given: { answerOne: (given) => run().answerOne(call, {}, given) } },
  { options: 'ReadOutputOptions', given: { readOutput: (given) => run().readOutput('1', { type: 'number' }, given) } },
  { options: 'StructuredOutputOptions', given: { parseStructured: (given) => agent.parseStructured('1', { type: 'number' }, given) } },
  { options: 'SessionOptions', given: { Session: (given) => new agent.Session(given) } },
  {
    options: 'RetryPolicy',
    given: {
      mergeRetryPolicies: (given) => agent.mergeRetryPolicies(given),
      validationRetries: (given) => new agent.AgentRun({ service, validationRetries: given }),
      toolValidationRetries: (given) => new agent.AgentRun({ service, toolValidationRetries: { search: given } }),
      setRetryPolicy: (given) => run().setRetryPolicy(given),
    },
    nullable: ['timeBudgetSeconds'],
  },
  {
    options: 'InferenceOptions',
    given: { runInference: agent.runInference },
    valid: { service, messages: [], model: () => ({ text: 'done', calls: [] }) },
  },
  // Alerts, history, metrics
  { options: 'AlertEngineOptions', given: { createAlertEngine: alerts.createAlertEngine } },
  { options: 'AlertRuleOptions', given: { defaultAlertRules: alerts.defaultAlertRules } },
  {
    options: 'AlertRule',
    given: { createAlertEngine: (given) => alerts.createAlertEngine({ rules: [given] }) },
    valid: { ...alertRule },
  },
  {
    options: 'InhibitRule',
    given: { createAlertEngine: (given) => alerts.createAlertEngine({ inhibitRules: [given] }) },
    valid: { ...inhibitRule },
  },
  { options: 'HistoryOptions', given: { createHistory: history.createHistory } },
  { options: 'HistoryLimits', given: { createHistory: (given) => history.createHistory({ limits: given }) } },
  { options: 'MetricsOptions', given: { createMetrics: metrics.createMetrics } },
  { options: 'TurnFoldOptions', given: { createTurnFold: turnView.createTurnFold, foldTurn: (given) => turnView.foldTurn([], given) } },
  // Fleets, journals, replays
  {
    options: 'CircuitSharingOptions',
    given: { shareCircuits: (given) => fleet.shareCircuits(fleet.memorySharedCircuits({ epochMs: () => 0 }), given) },
  },
  { options: 'MemorySharedCircuitsOptions', given: { memorySharedCircuits: fleet.memorySharedCircuits }, valid: { epochMs: () => 0 } },
  { options: 'FleetCircuitSettings', given: { completeFleetSettings: (given) => fleet.completeFleetSettings(given) } },
  {
    options: 'JournaledTurn',
    given: { runJournaledTurn: journal.runJournaledTurn },
    valid: { service, turnId: 'turn', plan: { calls: [] }, journal: {} },
    onlyRefuses: true,
  },
  { options: 'ReplayOptions', given: { replayTurn: (given) => replay.replayTurn(events, given) } },
  // Standalone
  { options: 'RetryOptions', given: { retry: (given) => standalone.retry(() => 1, given) } },
  { options: 'CircuitBreakerOptions', given: { circuitBreaker: standalone.circuitBreaker } },
  { options: 'RunOptions', given: { run: (given) => standalone.circuitBreaker({ system }).run(() => 1, given) } },
  {
    options: 'RateSettings',
    given: { rateDetector: standalone.rateDetector },
    valid: { windowMs: 1_000, minimumCalls: 10, failureRate: 0.5, slowCallMs: 5 },
  },
  // For tests
  { options: 'ManualSystemOptions', given: { manualSystem: testing.manualSystem } },
  { options: 'MemoryJournalOptions', given: { memoryJournal: testing.memoryJournal }, valid: { system } },
  { options: 'StoreContractOptions', given: { storeContract: testing.storeContract }, valid: { open: openStore } },
  { options: 'HistoryContractOptions', given: { historyContract: testing.historyContract }, valid: { open: () => undefined } },
  {
    options: 'SharedCircuitsContractOptions',
    given: { sharedCircuitsContract: testing.sharedCircuitsContract },
    valid: { open: () => undefined, wait: () => undefined },
  },
  { options: 'PostgresServerOptions', given: { startPostgres: postgresTesting.startPostgres }, onlyRefuses: true },
  { options: 'RestateServerOptions', given: { startRestateServer: durableTesting.startRestateServer }, onlyRefuses: true },
  // Adapters
  {
    options: 'ReliableOptions',
    given: {
      Reliable: (given) => new kit.Reliable([plain], given),
      'ai-sdk': (given) => aiSdk.reliableTools({} as never, given),
      anthropic: (given) => anthropic.reliableTools([], given),
      langchain: (given) => langchain.reliableTools([], given),
      openai: (given) => openai.reliableTools([], given),
    },
    valid: { system },
  },
  { options: 'ToolOptions', given: { Reliable: (given) => new kit.Reliable([plain], { tools: { search: given } }) } },
  { options: 'ReliableClientOptions', given: { reliableClient: (given) => mcp.reliableClient({} as never, given) }, valid: { system } },
  { options: 'AgentsOptions', given: { reliableTools: (given) => openaiAgents.reliableTools([], given) }, valid: { system } },
  {
    options: 'StartRunOptions',
    given: { 'ai-sdk': (given) => aiSdk.reliableTools({} as never, { system }).startRun(given) },
  },
  // Model providers
  { options: 'ArgumentReaderOptions', given: { argumentReader: wire.argumentReader } },
  { options: 'GuardFetchOptions', given: { guardFetch: (given) => wire.guardFetch(() => new Promise(() => undefined), given) } },
  {
    options: 'RepairOptions',
    given: { repair: (given) => wire.repair({}, given), validate: (given) => wire.validate({}, given) },
    valid: { format: 'openai-chat' },
  },
  {
    options: 'ResponseOptions',
    given: { validateResponse: (given) => wire.validateResponse({}, given) },
    valid: { format: 'openai-chat' },
  },
  {
    options: 'ResponseValidationOptions',
    given: { ResponseValidationMiddleware: (given) => new wire.ResponseValidationMiddleware(given) },
  },
  // Runners
  {
    options: 'HttpRunnerOptions',
    given: { httpRunner: runners.httpRunner },
    valid: { url: 'http://127.0.0.1/a', method: 'POST' },
    anything: ['body'],
  },
  { options: 'ProcessRunnerOptions', given: { processRunner: runners.processRunner }, valid: { command: 'ls' } },
  { options: 'WorkerRunnerOptions', given: { workerRunner: runners.workerRunner }, valid: { module: resolve('package.json') } },
  { options: 'McpServerOptions', given: { mcpServer: runners.mcpServer }, valid: { command: 'ls' } },
  { options: 'OpenapiOptions', given: { openapiTools: runners.openapiTools }, valid: { spec: 'none.yaml' }, onlyRefuses: true },
  // Stores
  { options: 'SqliteStoreOptions', given: { sqliteStore: sqlite.sqliteStore }, valid: { path: 'none.db' }, onlyRefuses: true },
  {
    options: 'SqliteHistoryOptions',
    given: { sqliteHistory: sqliteHistory.sqliteHistory },
    valid: { path: ':memory:' },
    onlyRefuses: true,
  },
  { options: 'PostgresStoreOptions', given: { postgresStore: postgres.postgresStore }, valid: postgresAddress, onlyRefuses: true },
  { options: 'DatabaseOptions', given: { postgresStore: postgres.postgresStore }, valid: postgresAddress, onlyRefuses: true },
  {
    options: 'PostgresHistoryOptions',
    given: { postgresHistory: postgresHistory.postgresHistory },
    valid: postgresAddress,
    onlyRefuses: true,
  },
  {
    options: 'PostgresSharedCircuitsOptions',
    given: { postgresSharedCircuits: postgres.postgresSharedCircuits },
    valid: postgresAddress,
    onlyRefuses: true,
  },
  // Durable turns
  { options: 'CircuitObjectOptions', given: { circuitObject: durable.circuitObject } },
  { options: 'RestateSharedCircuitsOptions', given: { restateSharedCircuits: durable.restateSharedCircuits }, valid: addresses },
  { options: 'TurnClientOptions', given: { createTurnClient: durable.createTurnClient }, valid: addresses },
  {
    options: 'SubmitOptions',
    given: { submit: (given) => durable.createTurnClient(addresses).submit({ calls: [] }, given) },
    onlyRefuses: true,
  },
  { options: 'WaitOptions', given: { result: (given) => durable.createTurnClient(addresses).result('turn', given) }, onlyRefuses: true },
  { options: 'TurnServiceOptions', given: { createTurnService: durable.createTurnService }, valid: worker },
  { options: 'TurnEndpointOptions', given: { createTurnEndpoint: durable.createTurnEndpoint }, valid: worker },
  { options: 'TurnWorkerOptions', given: { createTurnWorker: durable.createTurnWorker }, valid: worker, onlyRefuses: true },
  {
    options: 'RegisterDeploymentOptions',
    given: { registerDeployment: durable.registerDeployment },
    valid: { adminUrl: 'http://127.0.0.1:1', url: 'http://127.0.0.1:1' },
    onlyRefuses: true,
  },
  // Telemetry
  {
    options: 'ExportOptions',
    given: {
      toOtlpJson: (given) => telemetryExport.toOtlpJson(events, given),
      toChromeTrace: (given) => telemetryExport.toChromeTrace(events, given),
    },
  },
  { options: 'OpenTelemetryOptions', given: { openTelemetry: openTelemetry.openTelemetry } },
  { options: 'MetricsTextOptions', given: { metricsText: (given) => prometheus.metricsText([], given) } },
  {
    options: 'PrometheusHandlerOptions',
    given: { createPrometheusHandler: prometheus.createPrometheusHandler },
    valid: { metrics: metrics.createMetrics() },
  },
  { options: 'NotifierOptions', given: { createNotifier: telemetryAlerts.createNotifier }, valid: { receivers: [], system } },
  { options: 'RuleFileOptions', given: { prometheusRules: (given) => telemetryAlerts.prometheusRules([], given) } },
  {
    options: 'BurnRateOptions',
    given: { prometheusRules: (given) => telemetryAlerts.prometheusRules([], { burnRate: given }) },
    valid: { objective: 0.95 },
  },
  // The lab
  { options: 'HoldfastOptions', given: { holdfast: simulate.holdfast } },
  { options: 'CallContenderOptions', given: { callContender: simulate.callContender }, valid: { name: 'own', start: () => undefined } },
  { options: 'TuneOptions', given: { tune: simulate.tune }, valid: { toolName: 'search', traces: [] }, onlyRefuses: true },
  { options: 'WhatIfOptions', given: { whatIf: (given) => whatIf.whatIf([], {}, given) } },
  // Manifests
  { options: 'ParseOptions', given: { parseManifest: (given) => manifest.parseManifest('', given) } },
  { options: 'PolicyParseOptions', given: { parsePolicy: (given) => manifest.parsePolicy('', given) } },
  { options: 'TurnParseOptions', given: { parseTurn: (given) => manifest.parseTurn('', given) } },
  { options: 'ChangesParseOptions', given: { parseChanges: (given) => manifest.parseChanges('', given) } },
  { options: 'WorldParseOptions', given: { parseWorld: (given) => manifest.parseWorld('', given) } },
  { options: 'PatchOptions', given: { patchManifest: (given) => manifest.patchManifest('', {}, given) } },
  { options: 'BuildOptions', given: { buildTools: (given) => manifest.buildTools(emptyManifest, given) } },
  {
    options: 'FormatOptions',
    given: {
      formatProblem: (given) =>
        manifest.formatProblem({ code: 'x', severity: 'error', file: '', line: 1, column: 1, message: '' } as never, given),
    },
  },
  // MCP
  {
    options: 'ConnectOptions',
    given: { connect: (given) => mcpClient.connect({} as never, given) },
    valid: { eras: [], clientInfo: {}, clientCapabilities: {}, timeoutMs: 1 },
    onlyRefuses: true,
  },
  {
    options: 'HttpLinkOptions',
    given: { httpLink: mcpClient.httpLink },
    valid: { url: new URL('http://127.0.0.1'), headers: {}, dispatcher: {}, maxMessageBytes: 1, graceMs: 1 },
  },
  {
    options: 'StdioLinkOptions',
    given: { stdioLink: mcpClient.stdioLink },
    valid: { input: {}, output: {}, ended: Promise.resolve(), close: () => undefined, maxMessageBytes: 1 },
    onlyRefuses: true,
  },
  { options: 'HttpFrontOptions', given: { httpFront: (given) => mcpServer.httpFront({} as never, given) }, onlyRefuses: true },
  { options: 'HttpFrontLimits', given: { httpFront: (given) => mcpServer.httpFront({} as never, { limits: given }) }, onlyRefuses: true },
  {
    options: 'StdioFrontOptions',
    given: { stdioFront: (given) => mcpServer.stdioFront({} as never, given) },
    valid: { input: {}, output: {} },
    onlyRefuses: true,
  },
];

/** Interfaces that look like options and are none of a user's, or are tested where they belong. */
export const notGiven: Readonly<Record<string, string>> = {
  AgentToolOptions: 'options of the SDK, which checks them',
  AlertingRule: 'an output',
  BackoffOptions: 'given to a strategy by the run',
  CircuitRule: 'an output',
  ClientRequestOptions: 'of one request; a gateway gives them, not a user',
  CompiledRule: 'made by compileRules',
  DashboardOptions: 'a part of GatewayOptions',
  GatewayOptions: 'apps/gateway/test/composition/options.test.ts',
  LabPlan: 'given to a contender by the lab',
  ListenOptions: 'apps/gateway/test/composition/options.test.ts',
  MatchedRule: 'an output',
  RecordingRule: 'an output',
  ServeOptions: 'apps/gateway/test/composition/options.test.ts',
  SurveyOptions: 'apps/gateway/test/composition/options.test.ts',
  TurnTraceOptions: 'given by the service, for every turn',
  WorkOptions: 'apps/gateway/test/composition/options.test.ts',
  WorkerOptions: 'apps/gateway/test/composition/options.test.ts',
};

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
