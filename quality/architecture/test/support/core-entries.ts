/** Owns how the other entries of the core are given options and rules. */
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
import * as durableTesting from '@holdfast/durable/testing';
import * as postgresTesting from '@holdfast/store-postgres/testing';
import { system, service, run, call, events, type EntryPoint } from './entry-point.ts';

const openStore = (): ReturnType<typeof core.memoryStore> => core.memoryStore();
const [alertRule] = alerts.defaultAlertRules();
const [inhibitRule] = alerts.defaultInhibitRules;

export const corePoints: readonly EntryPoint[] = [
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
  {
    options: 'SealedRowsContractOptions',
    given: { sealedRowsContract: testing.sealedRowsContract },
    valid: { open: openStore, wait: () => undefined },
  },
  { options: 'HistoryContractOptions', given: { historyContract: testing.historyContract }, valid: { open: () => undefined } },
  {
    options: 'SharedCircuitsContractOptions',
    given: { sharedCircuitsContract: testing.sharedCircuitsContract },
    valid: { open: () => undefined, wait: () => undefined },
  },
  { options: 'PostgresServerOptions', given: { startPostgres: postgresTesting.startPostgres }, onlyRefuses: true },
  { options: 'RestateServerOptions', given: { startRestateServer: durableTesting.startRestateServer }, onlyRefuses: true },
];
