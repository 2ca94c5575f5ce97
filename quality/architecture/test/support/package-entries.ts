/** Owns how the other packages are given options and rules. */
import { resolve } from 'node:path';
import * as kit from '@holdfast/adapter-kit';
import * as aiSdk from '@holdfast/ai-sdk';
import * as anthropic from '@holdfast/anthropic';
import * as claudeAgentSdk from '@holdfast/claude-agent-sdk';
import * as bedrock from '@holdfast/bedrock';
import * as metrics from '@holdfast/core/metrics';
import * as durable from '@holdfast/durable';
import * as googleGenAI from '@holdfast/google-genai';
import * as langchain from '@holdfast/langchain';
import * as manifest from '@holdfast/manifest';
import { parseWorld } from '@holdfast/manifest/world';
import * as mastra from '@holdfast/mastra';
import * as mcp from '@holdfast/mcp';
import * as mcpClient from '@holdfast/mcp-wire/client';
import * as mcpServer from '@holdfast/mcp-wire/server';
import * as openai from '@holdfast/openai';
import * as openaiAgents from '@holdfast/openai-agents';
import * as runners from '@holdfast/runners';
import * as simulate from '@holdfast/simulate';
import * as postgres from '@holdfast/store-postgres';
import * as postgresHistory from '@holdfast/store-postgres/history';
import * as sqlite from '@holdfast/store-sqlite';
import * as sqliteHistory from '@holdfast/store-sqlite/history';
import * as telemetryAlerts from '@holdfast/telemetry/alerts';
import * as telemetryExport from '@holdfast/telemetry/export';
import * as otlp from '@holdfast/telemetry/otlp';
import * as openTelemetry from '@holdfast/telemetry/opentelemetry';
import * as prometheus from '@holdfast/telemetry/prometheus';
import * as whatIf from '@holdfast/what-if';
import * as wire from '@holdfast/wire';
import { system, service, plain, events, type EntryPoint } from './entry-point.ts';

const emptyManifest = manifest.parseManifest('tools: [{ id: search, run: { command: { command: ls } } }]').manifest as manifest.Manifest;
const postgresAddress = { url: 'postgres://127.0.0.1:1/none' };
const addresses = { ingressUrl: 'http://127.0.0.1:1' };
const worker = { service };
const world = simulate.scenarios.lone_agent;

export const packagePoints: readonly EntryPoint[] = [
  // Adapters
  {
    options: 'ReliableOptions',
    given: {
      Reliable: (given) => new kit.Reliable([plain], given),
      'ai-sdk': (given) => aiSdk.reliableTools({} as never, given),
      anthropic: (given) => anthropic.reliableTools([], given),
      'claude-agent-sdk': (given) => claudeAgentSdk.reliableTools([], given),
      bedrock: (given) => bedrock.reliableTools([], given),
      'google-genai': (given) => googleGenAI.reliableTools([], given),
      langchain: (given) => langchain.reliableTools([], given),
      mastra: (given) => mastra.reliableTools({} as never, given),
      openai: (given) => openai.reliableTools([], given),
    },
    valid: { system },
  },
  { options: 'ToolOptions', given: { Reliable: (given) => new kit.Reliable([plain], { tools: { search: given } }) } },
  { options: 'ReliableClientOptions', given: { reliableClient: (given) => mcp.reliableClient({} as never, given) }, valid: { system } },
  { options: 'LangChainOptions', given: { reliableTools: (given) => langchain.reliableTools([], given) }, valid: { system } },
  { options: 'AgentsOptions', given: { reliableTools: (given) => openaiAgents.reliableTools([], given) }, valid: { system } },
  {
    options: 'StartRunOptions',
    given: {
      'ai-sdk': (given) => aiSdk.reliableTools({} as never, { system }).startRun(given),
      mastra: (given) => mastra.reliableTools({} as never, { system }).startRun(given),
    },
  },
  // Model providers
  { options: 'ArgumentReaderOptions', given: { argumentReader: wire.argumentReader } },
  { options: 'LenientSchemaOptions', given: { compileLenientSchema: (given) => wire.compileLenientSchema({}, given) } },
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
  {
    options: 'PostgresSharedKeyOptions',
    given: { postgresSharedKey: postgres.postgresSharedKey },
    valid: { ...postgresAddress, name: 'key' },
    onlyRefuses: true,
  },
  { options: 'DatabaseOptions', given: { postgresSealedRows: postgres.postgresSealedRows }, valid: postgresAddress, onlyRefuses: true },
  {
    options: 'SqliteSealedRowsOptions',
    given: { sqliteSealedRows: sqlite.sqliteSealedRows },
    valid: { path: ':memory:' },
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
  {
    options: 'TurnRecordOptions',
    given: { createTurnWorker: (given) => durable.createTurnWorker({ ...worker, record: given } as never) },
    valid: { store: {} },
    onlyRefuses: true,
  },
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
  { options: 'OtlpTracingOptions', given: { otlpTracing: otlp.otlpTracing } },
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
  {
    options: 'SimulationOptions',
    given: { startSimulation: (given) => simulate.startSimulation(world, simulate.none, 'seed', given) },
  },
  { options: 'TuneOptions', given: { tune: simulate.tune }, valid: { toolName: 'search', traces: [] }, onlyRefuses: true },
  { options: 'WhatIfOptions', given: { whatIf: (given) => whatIf.whatIf([], {}, given) } },
  // Manifests
  { options: 'ParseOptions', given: { parseManifest: (given) => manifest.parseManifest('', given) } },
  { options: 'PolicyParseOptions', given: { parsePolicy: (given) => manifest.parsePolicy('', given) } },
  { options: 'TurnParseOptions', given: { parseTurn: (given) => manifest.parseTurn('', given) } },
  { options: 'ChangesParseOptions', given: { parseChanges: (given) => manifest.parseChanges('', given) } },
  { options: 'WorldParseOptions', given: { parseWorld: (given) => parseWorld('', given) } },
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
  { options: 'HttpTransportOptions', given: { httpTransport: (given) => mcpServer.httpTransport({} as never, given) }, onlyRefuses: true },
  {
    options: 'HttpTransportLimits',
    given: { httpTransport: (given) => mcpServer.httpTransport({} as never, { limits: given }) },
    onlyRefuses: true,
  },
  {
    options: 'StdioTransportOptions',
    given: { stdioTransport: (given) => mcpServer.stdioTransport({} as never, given) },
    valid: { input: {}, output: {} },
    onlyRefuses: true,
  },
];
