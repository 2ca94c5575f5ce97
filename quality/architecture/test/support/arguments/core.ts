/** Owns the arguments of `@holdfast/core`, `/standalone`, `/store` and `/trace`. */
import * as core from '@holdfast/core';
import * as standalone from '@holdfast/core/standalone';
import * as store from '@holdfast/core/store';
import * as trace from '@holdfast/core/trace';
import { call, events, plain, service, system, tools } from '../entry-point.ts';
import { anyValue, made, type Owner } from './subject.ts';

const failure = await (async (): Promise<core.FailureNotice> => {
  const handler = new core.ErrorHandler();
  const run = (): never => {
    throw Object.assign(new Error('missing'), { status: 404 });
  };
  await new core.ToolExecutionService({ tools: [core.defineTool({ name: 'failing', run })], system, errorHandler: handler }).executeTool({
    toolName: 'failing',
  });
  return handler.inbox[0] as core.FailureNotice;
})();
export const inputs: core.DecisionInputs = { ...failure.facts, recoveryRules: [], evidence: [] };
const decision = core.decide(inputs);
const absent = anyValue('it answers undefined: there is no such tool, or no such partition');
const breaker = (): standalone.CircuitBreaker => standalone.circuitBreaker({ system });

export const coreOwners: readonly Owner[] = [
  {
    name: '@holdfast/core',
    get: () => core,
    subjects: {
      ErrorHandler: { args: () => [{}], accepts: { 0: ['options are optional', 'nothing', 'undefined', 'object'] } },
      ToolExecutionService: { args: () => [{ tools, system }] },
      checkPlan: { args: () => [[call]] },
      classify: { args: () => [new Error('x'), { nowEpochMs: 0 }], accepts: { 0: anyValue('anything can be thrown') } },
      compileRules: { args: () => [[{ status: 404, as: 'transient' }]] },
      compose: { args: () => [(next: unknown) => next], accepts: { 0: ['no middleware', 'nothing'] } },
      createEpisodicMemory: { args: () => [{}] },
      createRedactor: { args: () => [{}] },
      createSystem: { args: () => [] },
      decide: { args: () => [inputs], accepts: { 0: made } },
      defineTool: { args: () => [plain] },
      memoryStore: { args: () => [{}] },
      ref: { args: () => ['a', '/b'], accepts: { 1: ['the whole output', 'undefined'] } },
    },
  },
  {
    name: 'ToolExecutionService',
    get: () => service,
    subjects: {
      executeTool: { args: () => [call, {}] },
      executeToolBatch: {
        args: () => [[call], {}],
        accepts: { 0: ['a model that made no calls may have no list', 'nothing', 'undefined', 'null'] },
      },
      executeTurn: { args: () => [{ calls: [call] }, {}] },
      validateResponseMatch: { args: () => [[], []], accepts: { 0: ['no calls', 'nothing', 'undefined'], 1: ['no results', 'undefined'] } },
      recordValidationFailure: { args: () => [{ stage: 'request', problems: [] }] },
      getToolMetrics: { args: () => ['search'], accepts: { 0: ['without a name: of all tools', 'nothing', 'undefined'] } },
      resetCircuitBreaker: { args: () => ['search'] },
      controlCircuit: { args: () => ['search', 'auto'] },
      getToolHealth: { args: () => ['search', 'partition'], accepts: { 0: absent, 1: absent } },
      getToolSettings: { args: () => ['search'], accepts: { 0: absent } },
      replaceTools: { args: () => [tools, {}] },
      prepareTools: { args: () => [tools, {}] },
      subscribe: { args: () => [() => undefined] },
      restore: { args: () => [] },
      close: 'ends the service',
    },
  },
  {
    name: 'ErrorHandler',
    get: () => new core.ErrorHandler(),
    subjects: { subscribe: { args: () => [() => undefined] }, handle: { args: () => [failure], accepts: { 0: made } } },
  },
  {
    name: 'EpisodicMemory',
    get: () => core.createEpisodicMemory(),
    subjects: {
      observe: { args: () => [events[0]], accepts: { 0: made } },
      recall: { args: () => [inputs], accepts: { 0: made } },
      restore: { args: () => [[]] },
      takeLearned: { args: () => [0] },
    },
  },
  {
    name: '@holdfast/core/standalone',
    get: () => standalone,
    subjects: {
      backoffDelayMs: { args: () => [{ settings: core.profiles.spec.tool.retry, retry: 1, random: 0.5 }] },
      circuitBreaker: { args: () => [{}] },
      controlCircuit: { args: () => [breaker(), 'auto'], accepts: { 0: made } },
      rateDetector: { args: () => [{ windowMs: 1_000, minimumCalls: 10, failureRate: 0.5, slowCallMs: 5 }] },
      restoreCircuit: {
        args: () => [breaker(), standalone.saveCircuit(breaker())],
        accepts: { 0: made, 1: anyValue('a saved state may come from anywhere: it returns false and changes nothing') },
      },
      retry: { args: () => [() => 1, {}] },
      saveCircuit: { args: () => [breaker()], accepts: { 0: made } },
      unwrap: { args: () => [{ success: true, value: 1, attempts: 1 }], accepts: { 0: made } },
    },
  },
  {
    name: 'CircuitBreaker',
    get: breaker,
    subjects: { run: { args: () => [() => 1, {}] } },
  },
  {
    name: '@holdfast/core/store',
    get: () => store,
    subjects: {
      addToEntry: {
        args: () => [undefined, { version: 1, toolName: 'a', category: 'timeout', rule: 'r', outcomes: [], savedAtEpochMs: 0 }],
        accepts: { 0: anyValue('an entry may come from a damaged store'), 1: made },
      },
      memoryKey: { args: () => [inputs], accepts: { 0: made } },
    },
  },
  {
    name: '@holdfast/core/trace',
    get: () => trace,
    subjects: {
      TurnTrace: 'given by the service, for every turn',
      recordDecision: { args: () => [decision], accepts: { 0: made } },
      recordInputs: { args: () => [inputs], accepts: { 0: made } },
      turnEndOf: { args: () => [events[0]], accepts: { 0: made } },
    },
  },
];
