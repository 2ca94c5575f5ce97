/** Owns the arguments of `@holdfast/core/agent`. */
import * as agent from '@holdfast/core/agent';
import { call, run, service } from '../entry-point.ts';
import { anyValue, made, type Owner } from './subject.ts';

const schema = { type: 'number' } as const;
const policy = agent.retryPolicyDefaults;
const failure: agent.ValidationFailure = {
  attempt: 1,
  errorType: 'ToolValidationError',
  elapsedSeconds: 0,
  reducerFailed: false,
  seed: 'a',
};
const reducer = { initial: 0, reduce: (state: number) => state };
const session = (): object => new agent.Session({ slices: { own: reducer } });
const number = { args: (): readonly unknown[] => [2] };

export const agentOwners: readonly Owner[] = [
  {
    name: '@holdfast/core/agent',
    get: () => agent,
    subjects: {
      AgentRun: { args: () => [{ service }] },
      ConstantBackoff: number,
      ExponentialBackoff: { args: () => [1, 2] },
      LinearBackoff: { args: () => [1, 2] },
      Session: { args: () => [{}] },
      StructuredOutputError: 'thrown by structured outputs, not made by a user',
      ToolValidationError: 'thrown by the run, not made by a user',
      callExecutors: { args: () => [] },
      decideValidationRetry: { args: () => [policy, failure] },
      foldSession: { args: () => [[], { own: reducer }], accepts: { 1: ['no slices', 'object', 'misspelt'] } },
      foldValidationMetrics: { args: () => [agent.emptyValidationMetrics, { event_type: 'ReducerFailed' }], accepts: { 0: made } },
      mergeRetryPolicies: { args: () => [{}] },
      outputText: { args: () => [1], accepts: { 0: anyValue('an output may be anything') } },
      parseStructured: {
        args: () => ['1', schema, {}],
        accepts: { 0: anyValue('a model may write anything'), 1: ['a schema of any value', 'object'] },
      },
      readStrictJson: {
        args: () => [{ raw: '{}', truncated: false }],
        accepts: { 0: ['a call may come without arguments', 'object', 'misspelt'] },
      },
      runInference: { args: () => [{ service, messages: [], model: () => ({ text: 'done', calls: [] }) }] },
    },
  },
  {
    name: 'AgentRun',
    get: run,
    subjects: {
      resume: { args: () => [] },
      answer: { args: () => [[call], {}], accepts: { 0: ['a model that made no calls may have no list', 'nothing', 'undefined', 'null'] } },
      answerOne: {
        args: () => [call, {}, {}],
        accepts: {
          0: ['a call without an id gets one', 'misspelt'],
          1: ['any object identifies an answer', 'object', 'array', 'promise', 'function'],
        },
      },
      readOutput: {
        args: () => ['1', schema, {}],
        accepts: { 0: anyValue('a model may write anything'), 1: ['a schema of any value', 'object'] },
      },
      endTurn: {
        args: () => [{ id: 1 }],
        accepts: { 0: ['any object identifies an answer', 'object', 'array', 'promise', 'function', 'misspelt'] },
      },
      advertise: { args: () => [[{ name: 'search' }]] },
      availability: { args: () => ['search'] },
      setRetryPolicy: { args: () => [{}, 'search'], accepts: { 1: ['all tools', 'undefined'] } },
      recordRepair: { args: () => [{ format: 'openai-chat', changes: [] }] },
    },
  },
  {
    name: 'Session',
    get: session,
    subjects: {
      append: {
        args: () => [{ event_type: 'Custom', name: 'a' }],
        accepts: { 0: anyValue('kept as an event of its own name or as unreadable; a session loses nothing') },
      },
      slice: { args: () => ['own'] },
      latestFeedback: { args: () => ['search'], accepts: { 0: ['of any tool, or of structured outputs', 'nothing', 'undefined', 'null'] } },
      onReducerError: { args: () => [() => undefined] },
      save: { args: () => [] },
    },
  },
  {
    name: 'CallExecutors',
    get: () => agent.callExecutors(),
    subjects: { register: { args: () => ['key', 'search', () => 1] }, middleware: 'given to a service' },
  },
  ...[new agent.ConstantBackoff(1), new agent.LinearBackoff(1, 1), new agent.ExponentialBackoff(1, 2)].map((strategy): Owner => ({
    name: strategy.constructor.name,
    get: () => strategy,
    subjects: { delaySeconds: number },
  })),
];
