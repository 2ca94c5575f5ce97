import { getEventListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Runner } from '@holdfast/core';
import { type WorkerRunnerOptions, workerRunner } from '../../src/index.ts';
import { attempt, closeAll, rejection } from '../support/attempt.ts';

const tools = new URL('../fixtures/worker-tool.mjs', import.meta.url);
const open: Runner<unknown>[] = [];
const activeWorkers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
const before = activeWorkers();

const expectNoWorkers = (): void => expect(activeWorkers()).toBe(before);

function runner(name?: string, options: Partial<WorkerRunnerOptions> = {}): Runner<unknown> {
  const made = workerRunner({ module: tools, ...(name === undefined ? {} : { export: name }), ...options });
  open.push(made);
  return made;
}

afterEach(async () => {
  await closeAll(open.splice(0));
  expectNoWorkers();
});

describe('a call', () => {
  it('gets arguments and the plain part of the context, from a URL or a path', async () => {
    const expected = { args: { a: [1n] }, callId: 'call-1', attempt: 1, idempotencyKey: 'key-1', toolName: 'tool' };
    expect(await runner()({ a: [1n] }, attempt().context)).toEqual(expected);
    expect(await runner('default', { module: fileURLToPath(tools) })({ a: [1n] }, attempt().context)).toEqual(expected);
  });

  it('reports progress and partial output', async () => {
    const { context, progress, partials } = attempt();
    expect(await runner('report')({}, context)).toBe('done');
    expect(progress).toEqual([{ progress: 1, total: 2 }]);
    expect(partials).toEqual([['first']]);
  });

  it('does not report into the next call of the same worker', async () => {
    const late = runner('lateReport');
    const first = attempt();
    const second = attempt();
    await late({ name: 'first' }, first.context);
    await late({ name: 'second' }, second.context);
    const slow = attempt();
    await runner('slow')({ ms: 100 }, slow.context);
    expect([first.progress, second.progress.filter(({ message }) => message === 'late from first')]).toEqual([[], []]);
  });

  it('reuses an idle worker, and uses one worker per call', async () => {
    const run = runner('thread', { keepIdle: 2 });
    const first = (await run({}, attempt().context)) as { readonly threadId: number };
    expect(await run({}, attempt().context)).toEqual({ threadId: first.threadId, calls: 2 });
    const both = await Promise.all([run({}, attempt().context), run({}, attempt().context)]);
    expect(new Set((both as { readonly threadId: number }[]).map(({ threadId }) => threadId)).size).toBe(2);
  });

  it('gets its own environment if one is given', async () => {
    expect(await runner('environment', { env: { ONLY: 'this' } })({}, attempt().context)).toEqual({ ONLY: 'this' });
  });
});

describe('errors', () => {
  it('are transferred with name, message, stack, code, status, cause and plain fields', async () => {
    const error = await rejection(runner('fail')({}, attempt().context));
    expect(error).toMatchObject({
      name: 'TypeError',
      message: 'could not fetch',
      code: 'E_UPSTREAM',
      status: 503,
      retryAfterMs: 20,
      response: { status: 503 },
      cause: { message: 'connection reset', code: 'ECONNRESET', errno: -104 },
    });
    expect(error.stack).toContain('worker-tool.mjs');
  });

  it('are transferred even if they are not errors, or many', async () => {
    expect(await rejection(runner('failPlain')({}, attempt().context))).toEqual({ status: 404, message: 'no error object' });
    const many = await rejection(runner('failMany')({}, attempt().context));
    expect(many).toMatchObject({ name: 'AggregateError', errors: [{ code: 'ECONNREFUSED' }, { message: 'b' }] });
  });

  it.each([
    ['exit', 'WORKER_EXITED', /exited with code 3/],
    ['crash', 'WORKER_EXITED', /stray/],
    ['uncloneable', 'OUTPUT_NOT_CLONEABLE', /could not be cloned/],
    ['notAFunction', 'WORKER_START_FAILED', /exports no function 'notAFunction'/],
  ])('of a worker (%s) have the code %s', async (name, code, message) => {
    const error = await rejection(runner(name)({}, attempt().context));
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(message);
  });

  it('report that the memory was exhausted, and the next call gets a new worker', async () => {
    const run = runner('hoard', { resourceLimits: { maxOldGenerationSizeMb: 16 } });
    expect(await rejection(run({}, attempt().context))).toMatchObject({ code: 'WORKER_OUT_OF_MEMORY' });
    expect(await rejection(run({}, attempt().context))).toMatchObject({ code: 'WORKER_OUT_OF_MEMORY' });
  });

  it('report that the module cannot be loaded, or not in time', async () => {
    const broken = runner(undefined, { module: new URL('../fixtures/worker-broken.mjs', import.meta.url) });
    expect(await rejection(broken({}, attempt().context))).toMatchObject({
      code: 'WORKER_START_FAILED',
      cause: { message: 'cannot be loaded' },
    });
    const stuck = runner(undefined, { module: new URL('../fixtures/worker-stuck.mjs', import.meta.url), startupTimeoutMs: 50 });
    expect(await rejection(stuck({}, attempt().context))).toMatchObject({ code: 'WORKER_START_TIMEOUT' });
  });

  it('report that arguments cannot be cloned, and the worker is reused', async () => {
    const run = runner();
    expect(await rejection(run({ call: () => {} }, attempt().context))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await run({ a: 1 }, attempt().context)).toMatchObject({ args: { a: 1 } });
  });
});

describe('abort', () => {
  it('ends an endless loop, also twice in a row', async () => {
    const run = runner('spin');
    for (const reason of ['first', 'second']) {
      const made = attempt();
      const call = run({}, made.context);
      setTimeout(() => {
        expect(activeWorkers()).toBeGreaterThan(before);
        made.abort(new Error(reason));
      }, 200);
      expect(await rejection(call)).toMatchObject({ message: reason });
      expect(getEventListeners(made.signal, 'abort')).toEqual([]);
      expect(activeWorkers()).toBe(before);
    }
  });

  it('ends a worker that is still starting', async () => {
    const stuck = runner(undefined, { module: new URL('../fixtures/worker-stuck.mjs', import.meta.url) });
    const made = attempt();
    const call = stuck({}, made.context);
    made.abort(new Error('at once'));
    expect(await rejection(call)).toMatchObject({ message: 'at once' });
  });

  it('happens to every call on close', async () => {
    const run = runner('spin');
    const call = run({}, attempt().context) as Promise<unknown>;
    call.catch(() => {});
    await run.close?.();
    expect(await rejection(call)).toMatchObject({ code: 'RUNNER_CLOSED' });
  });
});

describe('options', () => {
  it.each([
    [{ module: './relative.js' }, /module is "\.\/relative\.js": give an absolute path/],
    [{ module: '/no/such/file.js' }, /module is ".*": there is no such file/],
    [{ module: tools, keepIdle: -1 }, /keepIdle is -1: give a whole number/],
    [{ module: tools, exports: 'x' }, /workerRunner has no setting 'exports'\. Did you mean 'export'\?/],
    [{ module: tools, startupTimeoutMs: 2 ** 31 }, /startupTimeoutMs is 2147483648/],
    [{}, /module is undefined/],
  ])('%j are refused at once', (options, message) => {
    expect(() => workerRunner(options as WorkerRunnerOptions)).toThrow(message);
  });
});
