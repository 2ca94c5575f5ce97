/** Every setting that the documents name, with values of every wrong kind: refused where it is given, with its name. */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { AgentRun, ConstantBackoff, ExponentialBackoff, LinearBackoff, Session } from '@holdfast/core/agent';
import { defaultAlertRules } from '@holdfast/core/alerts';
import { describe, expect, test } from 'vitest';

const wrong = [null, '', 'x', true, [], {}, [5], ['x'], [''], [null], { x: 1 }, Number.NaN, -1, () => 1, Symbol('x')] as const;
const not =
  (isRight: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    !isRight(value);
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isNothing = (): boolean => false;
const empty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

const tool = (settings: object): unknown => defineTool({ name: 'weather', run: () => 'sunny', ...settings });
const service = (options: object): unknown => new ToolExecutionService({ tools: [tool({}) as never], ...options });
const rule = (fields: object): unknown => service({ recoveryRules: [{ name: 'careful', deny: 'retry', ...fields }] });
const run = (options: object): unknown => new AgentRun({ service: service({}) as never, ...options });

/** The setting, how it is given, and which of the values it takes. */
type Case = readonly [name: string, give: (value: unknown) => unknown, isRight: (value: unknown) => boolean];

const numbers = (names: readonly string[], give: (settings: object) => unknown): readonly Case[] =>
  names.map((name) => [name, (value) => give({ [name]: value }), isNothing]);

const cases: readonly (readonly [tag: string, cases: readonly Case[]])[] = [
  [
    'S0-2.2',
    numbers(
      ['initialDelayMs', 'maxDelayMs', 'multiplier', 'jitterPercent', 'maxAttempts', 'maxTotalTimeMs', 'strategy', 'jitter'],
      (retry) => tool({ retry }),
    ),
  ],
  ['S0-3.2', numbers(['failureThreshold', 'successThreshold', 'openMs', 'count'], (breaker) => tool({ breaker }))],
  ['S0-4.1', numbers(['timeoutMs'], tool)],
  [
    'S0-4.2',
    [
      ['timeoutMs', (timeoutMs) => service({ turn: { timeoutMs } }), (value) => value === null],
      ['onDeadline', (onDeadline) => service({ turn: { onDeadline } }), isNothing],
      ['concurrency', (concurrency) => service({ turn: { concurrency } }), isNothing],
    ],
  ],
  [
    'S0-1.3',
    [
      ['status', (status) => tool({ classification: [{ status, as: 'permanent' }] }), isNothing],
      ['as', (as) => tool({ classification: [{ status: 503, as }] }), isNothing],
      ['code', (code) => tool({ classification: [{ code, as: 'permanent' }] }), isText],
      ['name', (name) => tool({ classification: [{ name, as: 'permanent' }] }), isText],
      ['message', (message) => tool({ classification: [{ message, as: 'permanent' }] }), isText],
      ['classification', (classification) => tool({ classification }), (value) => Array.isArray(value) && value.length === 0],
    ],
  ],
  [
    'S0-6.2',
    [
      ['tool', (name) => rule({ when: { tool: name } }), isNothing],
      ['category', (category) => rule({ when: { category } }), isNothing],
      ['classification', (classification) => rule({ when: { classification } }), isNothing],
      ['effect', (effect) => rule({ when: { effect } }), isNothing],
      ['turn', (turn) => rule({ when: { turn } }), (value) => isText(value) || (isTexts(value) && (value as []).length > 0)],
      ['when', (when) => rule({ when }), empty],
      ['name', (name) => rule({ name }), isText],
      ['deny', (deny) => rule({ deny }), isNothing],
      ['allow', (allow) => rule({ allow, deny: undefined }), isNothing],
      ['prefer', (prefer) => rule({ prefer }), isNothing],
      ['reason', (reason) => rule({ reason }), (value) => typeof value === 'string'],
      ['recoveryRules', (recoveryRules) => service({ recoveryRules }), (value) => Array.isArray(value) && value.length === 0],
      ['advisor', (advisor) => service({ advisor }), isFunction],
      ['useMemory', (useMemory) => service({ useMemory }), isBoolean],
    ],
  ],
  [
    'S0-6.1',
    [
      ['alternatives', (alternatives) => tool({ alternatives }), (value) => isTexts(value)],
      ['acceptPartial', (acceptPartial) => tool({ acceptPartial }), isBoolean],
      ['enabled', (enabled) => tool({ enabled }), isBoolean],
    ],
  ],
  ['S4-fallback', [['fallback', (fallback) => tool({ fallback }), isNothing]]],
  [
    'S2-policy',
    [
      ['maxAttempts', (maxAttempts) => run({ validationRetries: { maxAttempts } }), isNothing],
      ['backoff', (backoff) => run({ validationRetries: { backoff } }), isNothing],
      ['retryableErrors', (retryableErrors) => run({ validationRetries: { retryableErrors } }), (value) => isTexts(value)],
      ['emitFeedback', (emitFeedback) => run({ validationRetries: { emitFeedback } }), isBoolean],
      ['toolValidationRetries', (weather) => run({ toolValidationRetries: { weather } }), empty],
      ['validationRetries', (validationRetries) => tool({ validationRetries }), empty],
    ],
  ],
  [
    'S2-backoff',
    [
      ['seconds', (seconds) => new ConstantBackoff(seconds as number), isNothing],
      ['base', (base) => new LinearBackoff(base as number, 1), isNothing],
      ['step', (step) => new LinearBackoff(1, step as number), isNothing],
      ['factor', (factor) => new ExponentialBackoff(1, factor as number), isNothing],
    ],
  ],
  ['S2-reducer-error', [['onReducerError', (onReducerError) => new Session({ onReducerError: onReducerError as never }), isFunction]]],
  ['S4-alerts', numbers(['failureRate', 'executionTimeMs', 'minimumCalls', 'windowMs'], (options) => defaultAlertRules(options))],
];

const showOf = (value: unknown): string => JSON.stringify(value) ?? typeof value;

describe.each(cases)('settings of %s', (tag, settings) => {
  test.each(settings.map(([name, give, isRight]) => ({ name, give, isRight })))(
    '$name',
    { tags: [tag as 'S0-2.2'] },
    ({ name, give, isRight }) => {
      for (const value of wrong.filter(not(isRight))) expect(() => give(value), showOf(value)).toThrow(name);
      for (const value of wrong.filter(isRight)) expect(() => give(value), showOf(value)).not.toThrow();
    },
  );
});
