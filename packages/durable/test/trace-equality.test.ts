import { defineTool, ref, ToolExecutionService, type AttemptContext, type ToolPolicy, type TurnPlan } from '@holdfast/core';
import { createTurnClient, createTurnWorker, type TurnClient, type TurnWorker } from '@holdfast/durable';
import { startRestateServer, type RestateServer } from '@holdfast/durable/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callByCall } from './support/same-trace.ts';
import { addressesOf } from './support/addresses.ts';

const fail = (fields: object): never => {
  throw Object.assign(new Error('it failed'), fields);
};

const tool = (name: string, run: (args: unknown, context: AttemptContext) => unknown, policy: ToolPolicy = {}) =>
  defineTool({ ...policy, name, run: (args: unknown, context: AttemptContext) => run(args, context) });

const createService = (): ToolExecutionService =>
  new ToolExecutionService({
    seed: 'the same',
    capture: 'all',
    tools: [
      tool('echo', (args) => args),
      tool('shaky', (_args, { attempt }) => (attempt < 3 ? fail({ code: 'ECONNRESET' }) : { attempt })),
      tool('broken', () => fail({ status: 404 })),
      tool('replaced', () => fail({ status: 500 }), { alternatives: ['broken', 'echo'], retry: { maxAttempts: 2, initialDelayMs: 5 } }),
      tool('with fallback', () => fail({ status: 404 }), { fallback: { value: { from: 'fallback' } } }),
      tool('hang', () => new Promise(() => undefined), { timeoutMs: 50, retry: { maxAttempts: 2, initialDelayMs: 5 } }),
      tool(
        'slow',
        (_args, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
      ),
      tool(
        'partial',
        (_args, { reportPartial, reportProgress }) => {
          reportProgress({ progress: 1, total: 2 });
          reportPartial({ half: true });
          return new Promise(() => undefined);
        },
        { acceptPartial: true, timeoutMs: 50 },
      ),
    ],
  });

let server: RestateServer;
let worker: TurnWorker;
let client: TurnClient;
const durable = createService();

beforeAll(async () => {
  server = await startRestateServer();
  worker = await createTurnWorker({ service: durable, register: { adminUrl: server.adminUrl } });
  client = createTurnClient(addressesOf(server));
});

afterAll(async () => {
  await worker.close();
  await durable.close();
  await server.stop();
});

const plans: Readonly<Record<string, Omit<TurnPlan, 'turnId'>>> = {
  'a diamond': {
    calls: [
      { callId: 'A', toolName: 'echo', arguments: { x: 1 } },
      { callId: 'B', toolName: 'echo', arguments: { a: ref('A') } },
      { callId: 'C', toolName: 'echo', arguments: { a: ref('A', 'x') } },
      { callId: 'D', toolName: 'echo', arguments: { b: ref('B'), c: ref('C') } },
    ],
  },
  retries: {
    calls: [
      { callId: 'A', toolName: 'shaky' },
      { callId: 'B', toolName: 'echo', dependsOn: ['A'] },
    ],
  },
  alternatives: {
    calls: [
      { callId: 'A', toolName: 'replaced', arguments: { y: 2 } },
      { callId: 'B', toolName: 'echo', arguments: ref('A') },
    ],
  },
  'a cascade': {
    calls: [
      { callId: 'A', toolName: 'broken', critical: true },
      { callId: 'B', toolName: 'echo', arguments: ref('A') },
      { callId: 'C', toolName: 'echo', dependsOn: ['B'] },
      { callId: 'D', toolName: 'echo' },
    ],
  },
  defaults: {
    calls: [
      { callId: 'A', toolName: 'broken' },
      { callId: 'B', toolName: 'echo', arguments: ref('A'), defaults: { A: 'a default' } },
      { callId: 'C', toolName: 'with fallback' },
      { callId: 'D', toolName: 'broken', optional: true },
    ],
  },
  timeouts: {
    calls: [
      { callId: 'A', toolName: 'hang' },
      { callId: 'B', toolName: 'partial' },
      { callId: 'C', toolName: 'echo', dependsOn: ['A', 'B'] },
    ],
  },
  'a deadline': {
    timeoutMs: 200,
    calls: [
      { callId: 'A', toolName: 'echo' },
      { callId: 'B', toolName: 'slow' },
      { callId: 'C', toolName: 'echo', dependsOn: ['B'] },
    ],
  },
  'a deadline that aborts': { timeoutMs: 200, onDeadline: 'abort', calls: [{ callId: 'B', toolName: 'slow' }] },
  'an unknown tool': { calls: [{ callId: 'A', toolName: 'ecko' }] },
};

describe('the same plan and seed, in process and durable', () => {
  test.each(Object.entries(plans))('%s: the same results, and the same events call by call', async (name, plan) => {
    const inProcess = createService();
    const here = await inProcess.executeTurn({ ...plan, turnId: name });
    const there = await client.run({ ...plan, turnId: name }, { trace: true });
    await inProcess.close();
    expect(callByCall(there.trace ?? [])).toEqual(callByCall(here.trace));
    const outcomeOf = ({ results, outcome, summary, escalated }: typeof there) => ({
      outcome,
      summary,
      escalated,
      results: results.map((result) => ({ ...result, executionTime: 0 })),
    });
    expect(outcomeOf(there)).toEqual(JSON.parse(JSON.stringify(outcomeOf(here))));
  });
});
