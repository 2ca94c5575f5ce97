/** What no layer may make worse than the bare tool, under the recommended profile: failures of unknown cause, effects that may have happened, time. */
import type { ToolPolicy, ToolResult } from '@holdfast/core';
import { defineTool } from '@holdfast/core';
import { AgentRun } from '@holdfast/core/agent';
import type { ManualSystem } from '@holdfast/core/testing';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import type { ScriptedTool, Step } from './support/scripted-tool.ts';
import { fails, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';
import type { Stage } from './support/stage.ts';
import { stage } from './support/stage.ts';

/** As tool authors throw them: an `Error` with a sentence, nothing else. */
const businessErrors = [
  'Cart is empty',
  'Seat 12A is taken',
  'No flights on that day',
  'Division by zero',
  'Booking window closed',
  'Insufficient funds',
  'The coupon has expired',
  'Out of stock',
  'The restaurant is fully booked',
  'Table not available',
  'Order 17 has been shipped already',
  'Seats are sold out',
  'The product is unavailable',
  'The store is closed',
  'The room is in use',
  'Too many items in the cart',
  'The slot is no longer available',
  'The doctor is busy at that time',
  'Please try another date',
  'No capacity left for this event',
  'Minimum order is 20 EUR',
  'The address is outside of our area',
  'Your card was declined, please try again',
  'Invoice 12 has been paid',
  'The driver went offline',
  'The flight was cancelled by the airline',
  'Limit of 5 tickets per person exceeded',
  'The gate is closed',
  'Age restriction',
  'The refund window is over',
];

interface Scene extends Stage {
  readonly clock: ManualSystem;
  readonly tool: ScriptedTool;
  readonly call: () => Promise<ToolResult>;
}

function scene(steps: readonly Step[], policy: ToolPolicy = {}): Scene {
  const clock = manualSystem();
  const tool = scriptedTool(clock, 'shop', steps, policy);
  const staged = stage(clock, [tool], { profile: 'adaptive' });
  return { ...staged, clock, tool, call: () => clock.until(staged.service.executeTool({ toolName: 'shop' })) };
}

describe('a business error, thrown as a plain Error', () => {
  test('of an undeclared tool is never repeated, reaches the model unchanged, and does not make the tool unavailable', async () => {
    expect(businessErrors).toHaveLength(30);
    for (const message of businessErrors) {
      const { tool, call, of, service } = scene([fails(message), succeeds('the healthy call of another user')]);
      const result = await call();
      expect(tool.starts, message).toHaveLength(1);
      expect(result).toMatchObject({ status: 'error', attempts: 1, error: { message: `Tool error: ${message}`, retryable: false } });
      expect(await call(), message).toMatchObject({ status: 'success' });
      expect(of('CircuitBreakerOpened'), message).toEqual([]);
      expect(service.getToolHealth('shop')?.circuit).toBe('closed');
    }
  });

  test('of unknown cause is not counted by a circuit, however often it is thrown', async () => {
    const { call, of } = scene([fails('Seat 12A is taken')]);
    for (let index = 0; index < 100; index++) await call();
    expect(of('CircuitBreakerOpened')).toEqual([]);
  });

  test.each(['read', 'idempotent'] as const)('of unknown cause is retried once if the tool is declared %s', async (effect) => {
    const { tool, call, of } = scene([fails('Seat 12A is taken')], { effect });
    expect(await call()).toMatchObject({ status: 'error', attempts: 2 });
    expect(tool.starts).toHaveLength(2);
    expect(of('RecoveryDecided').map(({ message }) => message)).toEqual([
      'Unknown failure, retried at most once',
      'Unknown failure, retried at most once',
    ]);
  });
});

describe('a payment whose answer is lost', () => {
  const lost = fails(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
  const killed = fails(Object.assign(new Error('Command failed: pay 5'), { killed: false, code: null, signal: 'SIGKILL', cmd: 'pay 5' }));
  const ended = fails(Object.assign(new Error('The worker exited with code 1 before it answered'), { code: 'WORKER_EXITED' }));

  test.each([
    ['the connection broke', lost],
    ['the child was killed', killed],
    ['the worker exited', ended],
    ['an Error says nothing', fails('boom')],
    ['a string was thrown', fails('x' as unknown)],
    ['undefined was thrown', fails(undefined)],
  ])('is started once, and the model is advised to check first: %s', async (_, step) => {
    for (const policy of [{}, { effect: 'unsafe' }] as const) {
      const { tool, call } = scene([step], policy);
      expect(await call()).toMatchObject({
        attempts: 1,
        error: {
          ambiguous: true,
          retryable: false,
          advice: 'shop was started once and may have taken effect. Check before you call it again.',
        },
      });
      expect(tool.starts).toHaveLength(1);
    }
  });

  test('is not made by an alternative either', async () => {
    const clock = manualSystem();
    const pay = scriptedTool(clock, 'pay', [lost], { alternatives: ['pay_elsewhere'] });
    const elsewhere = scriptedTool(clock, 'pay_elsewhere', [succeeds()]);
    const { service } = stage(clock, [pay, elsewhere], { profile: 'adaptive' });
    expect(await clock.until(service.executeTool({ toolName: 'pay' }))).toMatchObject({ status: 'error', servedBy: 'pay' });
    expect([pay.starts.length, elsewhere.starts.length]).toEqual([1, 0]);
  });

  test.each(['spec', 'service', 'adaptive'] as const)(
    'is started once in profile %s where the tool is declared unsafe',
    async (profile) => {
      for (const step of [lost, killed, ended, fails('boom'), fails(undefined)]) {
        const clock = manualSystem();
        const pay = scriptedTool(clock, 'pay', [step], { effect: 'unsafe' });
        const { service } = stage(clock, [pay], { profile });
        expect(await clock.until(service.executeTool({ toolName: 'pay' }))).toMatchObject({ attempts: 1, error: { ambiguous: true } });
        expect(pay.starts).toHaveLength(1);
      }
    },
  );

  test('is repeated if it certainly did not happen', async () => {
    const refused = fails(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    const rejected = fails(Object.assign(new Error('Too many requests'), { status: 429 }));
    const { tool, call } = scene([refused, rejected, succeeds('paid')], { effect: 'unsafe' });
    expect(await call()).toMatchObject({ status: 'success', output: 'paid', attempts: 3 });
    expect(tool.starts).toHaveLength(3);
  });
});

describe('a healthy tool of ten minutes', () => {
  const tenMinutes = 600_000;

  test('behaves as without Holdfast: its output, its time, one attempt', async () => {
    const { tool, call, of } = scene([succeeds({ pages: 40 }, tenMinutes)]);
    expect(await call()).toMatchObject({ status: 'success', output: { pages: 40 }, attempts: 1, executionTime: tenMinutes });
    expect(tool.starts).toEqual([0]);
    expect(tool.aborts).toEqual([]);
    expect(of('ToolTimeout')).toEqual([]);
  });

  test('behaves as without Holdfast in the loop of an agent, with all settings of the profile', async () => {
    const clock = manualSystem();
    const report = scriptedTool(clock, 'report', [succeeds('forty pages', tenMinutes)]);
    const { service } = stage(clock, [report], { profile: 'adaptive' });
    const run = new AgentRun({ service });
    const [answer] = await clock.until(run.answer([{ callId: 'A', toolName: 'report', arguments: {} }]));
    expect(answer).toMatchObject({ isError: false, text: 'forty pages' });
    expect(clock.now()).toBe(tenMinutes);
  });

  test('is ended by explicit limits: of the attempt, or without progress', async () => {
    const limited = scene([hangs], { timeoutMs: 20_000 });
    expect(await limited.call()).toMatchObject({ status: 'timeout', executionTime: 20_000, error: { message: 'Tool timeout after 20s' } });
    const silent = scene([hangs], { idleTimeoutMs: 20_000 });
    expect(await silent.call()).toMatchObject({ executionTime: 20_000, error: { message: 'Tool timeout: no progress for 20s' } });
  });

  test('is not ended while it reports progress', async () => {
    const clock = manualSystem();
    const tool = defineTool({
      name: 'report',
      idleTimeoutMs: 60_000,
      run: (_, { reportProgress }) =>
        new Promise((resolve) => {
          for (let minute = 1; minute < 10; minute++)
            clock.setTimer(minute * 59_000, () => reportProgress({ progress: minute, total: 10 }));
          clock.setTimer(9 * 59_000 + 50_000, () => resolve('done'));
        }),
    });
    const { service } = stage(clock, [tool], { profile: 'adaptive' });
    expect(await clock.until(service.executeTool({ toolName: 'report' }))).toMatchObject({ status: 'success', output: 'done' });
  });
});
