/** Owns how the service and its rules are given options and rules. */
import * as core from '@holdfast/core';
import * as agent from '@holdfast/core/agent';
import * as replay from '@holdfast/core/replay';
import * as simulate from '@holdfast/simulate';
import { system, tools, service, call, plain, events, type EntryPoint } from './entry-point.ts';

const rule: core.RecoveryRule = { name: 'once', deny: 'retry' };
const recoveryRules = (given: never): { readonly recoveryRules: readonly core.RecoveryRule[] } => ({ recoveryRules: [given] });

export const servicePoints: readonly EntryPoint[] = [
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
];

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
