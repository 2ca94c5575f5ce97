/** Plans for every path through a turn, with their tools. */
import type { AnyTool, ToolPolicy, TurnPlan } from '@holdfast/core';
import { defineTool, ref } from '@holdfast/core';
import type { MakeTools, Scene } from './support.ts';
import { wait } from './support.ts';

interface Script extends ToolPolicy {
  /** The duration of a run. @default 0 */
  readonly takes?: number;
  /** When a run reports progress. @default never */
  readonly reports?: readonly number[];
  /** The result of the nth run, counted over all processes. */
  readonly ends?: (run: number) => unknown;
}

/** Tools with a duration and a scripted result. */
export function scripted(scripts: Readonly<Record<string, Script>>): MakeTools {
  return (system, world) =>
    Object.entries(scripts).map(([name, { takes = 0, reports = [], ends: end = () => `${name} done`, ...definition }]): AnyTool =>
      defineTool({
        ...definition,
        name,
        async run(_args: unknown, { idempotencyKey, reportProgress }) {
          world.begun.push(name);
          for (const at of reports) system.setTimer(at, () => reportProgress({ progress: at }));
          if (takes > 0) await wait(system, takes);
          world.done.push(`${name} ${idempotencyKey}`);
          return end(world.done.filter((run) => run.startsWith(`${name} `)).length);
        },
      }),
    );
}

export const fail = (message: string): never => {
  throw new Error(message);
};

const failsOnce = (run: number): string => (run === 1 ? fail('ECONNRESET') : 'recovered');

export const diamond: Scene = {
  tools: scripted({ first: {}, quick: { takes: 10 }, slow: { takes: 500 }, shaky: { takes: 20, ends: failsOnce }, last: {} }),
  plan: {
    calls: [
      { callId: 'A', toolName: 'first' },
      { callId: 'B', toolName: 'quick', arguments: { of: ref('A') } },
      { callId: 'C', toolName: 'slow', arguments: { of: ref('A') } },
      { callId: 'D', toolName: 'shaky', arguments: { of: ref('A') } },
      { callId: 'E', toolName: 'last', arguments: { b: ref('B'), c: ref('C'), d: ref('D') } },
    ],
  },
};

export const one = (toolName: string, more: Partial<TurnPlan['calls'][number]> = {}): TurnPlan => ({
  calls: [{ callId: 'A', toolName, ...more }],
});

export const crowd: Scene = {
  tools: scripted({ main: { takes: 10 } }),
  plan: { calls: Array.from({ length: 20 }, (_, index) => ({ callId: `C${index}`, toolName: 'main' })) },
};

export const scenes: Readonly<Record<string, Scene>> = {
  'calls that depend on each other, with a retry': diamond,
  'an alternative': {
    tools: scripted({ main: { takes: 5, alternatives: ['spare'], ends: () => fail('Invalid airport code') }, spare: { takes: 5 } }),
    plan: one('main'),
  },
  'a static fallback': {
    tools: scripted({ main: { fallback: { value: { cached: true } }, ends: () => fail('Invalid airport code') } }),
    plan: one('main'),
  },
  'a default for a failed dependency': {
    tools: scripted({ main: { ends: () => fail('Invalid airport code') }, next: {} }),
    plan: {
      calls: [
        { callId: 'A', toolName: 'main' },
        { callId: 'B', toolName: 'next', arguments: { of: ref('A') }, defaults: { A: 'none' } },
        { callId: 'C', toolName: 'next', arguments: { of: ref('A') } },
        { callId: 'D', toolName: 'next', arguments: { of: ref('A') }, optional: true },
      ],
    },
  },
  'an attempt without progress, and its retry': {
    tools: scripted({ main: { takes: 900, idleTimeoutMs: 300, reports: [200], retry: { maxAttempts: 2 } } }),
    plan: one('main'),
  },
  'an attempt without a time limit that reports progress': {
    tools: scripted({ main: { takes: 900, timeoutMs: Infinity, idleTimeoutMs: 500, reports: [400, 800] } }),
    plan: one('main'),
  },
  'retries until the attempts are used up': {
    tools: scripted({ main: { takes: 1, ends: () => fail('ECONNREFUSED') } }),
    plan: one('main'),
  },
  'a circuit that opens during a backoff': {
    tools: scripted({ main: { takes: 3, ends: () => fail('ECONNREFUSED') } }),
    plan: { calls: ['A', 'B', 'C'].map((callId) => ({ callId, toolName: 'main' })) },
  },
  'a tool that exceeds its time limit': {
    tools: scripted({ main: { takes: 5_000, timeoutMs: 1_000, retry: { maxAttempts: 2 } }, other: { takes: 3_000 } }),
    plan: {
      calls: [
        { callId: 'A', toolName: 'main' },
        { callId: 'B', toolName: 'other' },
      ],
    },
  },
  'a limit of one at a time': {
    tools: scripted({ main: { takes: 100, concurrency: { limit: 1, queue: 10 } } }),
    plan: { calls: ['A', 'B', 'C'].map((callId) => ({ callId, toolName: 'main' })) },
  },
  'a turn that runs one call at a time': {
    tools: scripted({ main: { takes: 100 } }),
    plan: { concurrency: 1, calls: ['A', 'B', 'C'].map((callId) => ({ callId, toolName: 'main' })) },
  },
  'an asynchronous advisor': {
    tools: scripted({ main: { takes: 5, alternatives: ['spare'], ends: () => fail('ECONNREFUSED') }, spare: { takes: 5 } }),
    plan: one('main'),
    options: {
      async advisor(_notice, _inputs, decision) {
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
        return { ...decision, action: 'use_alternative', alternative: 'spare', reason: 'Advised' };
      },
    },
  },
  'a rate limit': {
    tools: scripted({ main: { takes: 1, rateLimit: { limit: 1, windowMs: 200 } } }),
    plan: { calls: ['A', 'B'].map((callId) => ({ callId, toolName: 'main' })) },
  },
  'a deadline with running attempts': {
    tools: scripted({ main: { takes: 10 }, hung: { takes: 100_000 } }),
    plan: {
      timeoutMs: 700,
      calls: [
        { callId: 'A', toolName: 'main' },
        { callId: 'B', toolName: 'hung' },
        { callId: 'C', toolName: 'main', arguments: { of: ref('B') } },
      ],
    },
  },
  'a deadline that aborts attempts': {
    tools: scripted({ hung: { takes: 100_000 } }),
    plan: { timeoutMs: 700, onDeadline: 'abort', ...one('hung') },
  },
  'no deadline': { tools: scripted({ main: { takes: 10 } }), plan: { timeoutMs: null, ...one('main') } },
  'calls of unknown tools': {
    tools: scripted({ main: { takes: 10 } }),
    plan: {
      calls: [
        { callId: 'A', toolName: 'nothing' },
        { callId: 'B', toolName: 'main' },
      ],
    },
  },
  'only calls of unknown tools': { tools: scripted({ main: {} }), plan: one('nothing') },
  'an unsafe tool': { tools: scripted({ pay: { takes: 10, effect: 'unsafe' } }), plan: one('pay') },
  'no calls': { tools: scripted({ main: {} }), plan: { calls: [] } },
};
