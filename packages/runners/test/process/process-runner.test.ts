import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getEventListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Runner } from '@holdfast/core';
import { type ProcessRunnerOptions, processRunner } from '../../src/index.ts';
import { attempt, closeAll, rejection } from '../support/attempt.ts';
import { childrenNamed, expectNoChildren, isAlive, until } from '../support/processes.ts';

const program = fileURLToPath(new URL('../fixtures/program.mjs', import.meta.url));
const family = fileURLToPath(new URL('../fixtures/process-tree.mjs', import.meta.url));
const open: Runner<unknown>[] = [];

function runner(what: string, options: Partial<ProcessRunnerOptions> = {}): Runner<unknown> {
  const made = processRunner({ command: process.execPath, ...options, args: [program, what, ...(options.args ?? [])] });
  open.push(made);
  return made;
}

afterEach(async () => {
  await closeAll(open.splice(0));
  expectNoChildren('fixtures/');
});

describe('input and output', () => {
  it('passes arguments as JSON on standard input and reads JSON from standard output', async () => {
    const args = { city: 'Zürich', list: [1, null] };
    expect(await runner('echo')(args, attempt().context)).toEqual({ input: args, rest: [] });
  });

  it('reads text, and a JSON answer with another successful exit code', async () => {
    expect(await runner('junk', { output: 'text' })({}, attempt().context)).toBe('no json at all');
    expect(await runner('accept', { successExitCodes: [0, 7] })({}, attempt().context)).toBe('fine');
  });

  it('reports progress and partial output lines, and uses the last other line as the output', async () => {
    const { context, progress, partials } = attempt();
    expect(await runner('lines', { output: 'json_lines' })({}, context)).toEqual({ rows: [1, 2] });
    expect(progress).toEqual([{ progress: 0.5 }, { progress: 2, total: 3, message: 'two' }]);
    expect(partials).toEqual([[1], [1, 2]]);
  });

  it('rejects invalid JSON with INVALID_RESPONSE', async () => {
    expect(await rejection(runner('junk')({}, attempt().context))).toMatchObject({ code: 'INVALID_RESPONSE' });
  });

  it('tolerates a program that exits without reading a large input', async () => {
    const error = await rejection(runner('deaf')({ text: 'x'.repeat(4_000_000) }, attempt().context));
    expect(error).toMatchObject({ code: 'INVALID_RESPONSE', exitCode: 0 });
  });

  it('kills a program that prints too much', async () => {
    const error = await rejection(runner('flood', { maxOutputBytes: 100_000 })({}, attempt().context));
    expect(error).toMatchObject({ code: 'OUTPUT_TOO_LARGE' });
    expect(childrenNamed('program.mjs')).toEqual([]);
  });
});

describe('failure', () => {
  it('has the exit code and the end of standard error', async () => {
    const error = await rejection(runner('fail')({}, attempt().context));
    expect(error).toMatchObject({ code: 'PROCESS_EXITED', exitCode: 3 });
    expect(error.message).toMatch(/exited with code 3: last words$/);
    expect(Buffer.byteLength(String(error['stderr']))).toBeLessThanOrEqual(4096);
    expect(error['stderr']).toMatch(/last words\n$/);
  });

  it('uses message, code, status and retryAfterMs of the output', async () => {
    expect(await rejection(runner('tell')({}, attempt().context))).toMatchObject({
      message: 'slow down',
      code: 'THROTTLED',
      status: 429,
      retryAfterMs: 1500,
      exitCode: 1,
    });
  });

  it('contains no secrets', async () => {
    process.env['HOLDFAST_TEST_SECRET'] = 'correct horse battery';
    const run = runner('blab', { env: { PHRASE: { env: 'HOLDFAST_TEST_SECRET' } } });
    const error = await rejection(run({}, attempt().context));
    delete process.env['HOLDFAST_TEST_SECRET'];
    expect(error['stderr']).toBe('phrase [redacted], api_key=[redacted]\n');
    expect(error.message).toMatch(/: phrase \[redacted\], api_key=\[redacted\]$/);
  });

  it('has the signal of a killed program', async () => {
    expect(await rejection(runner('suicide')({}, attempt().context))).toMatchObject({ code: 'PROCESS_EXITED', signal: 'SIGKILL' });
  });

  it('rejects with PROCESS_NOT_STARTED and the cause if there is no such program or directory', async () => {
    const missing = processRunner({ command: '/no/such/program' });
    expect(await rejection(missing({}, attempt().context))).toMatchObject({ code: 'PROCESS_NOT_STARTED', cause: { code: 'ENOENT' } });
    const lost = processRunner({ command: process.execPath, cwd: '/no/such/directory' });
    expect(await rejection(lost({}, attempt().context))).toMatchObject({ code: 'PROCESS_NOT_STARTED' });
    const huge = processRunner({ command: process.execPath, args: ['{{arguments.text}}'] });
    expect(await rejection(huge({ text: 'x'.repeat(3_000_000) }, attempt().context))).toMatchObject({ code: 'PROCESS_NOT_STARTED' });
    await Promise.all([missing.close?.(), lost.close?.(), huge.close?.()]);
  });

  it('rejects arguments that are not JSON', async () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(await rejection(runner('echo')(circle, attempt().context))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await rejection(runner('echo')({ n: 1n }, attempt().context))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

describe('placeholders', () => {
  it.each(['; touch /tmp/pwned', '$(id)', '`id`', 'a b\tc\nd', '\'"\\', '{{arguments.other}}', '$&$1', '*', 'ünï ✓'])(
    'passes %j as one argument, without a shell',
    async (value) => {
      const run = runner('arguments', { args: ['{{arguments.value}}', '--x={{arguments.value}}', '{{arguments.deep.n}}'] });
      expect(await run({ value, deep: { n: 3 }, other: 'leaked' }, attempt().context)).toEqual([value, `--x=${value}`, '3']);
    },
  );

  it('refuses a value that would become an option, a NUL, a missing value and inherited properties', async () => {
    const run = runner('arguments', { args: ['{{arguments.value}}'] });
    for (const args of [
      { value: '--output=/etc/passwd' },
      { value: '-rf' },
      { value: '-5' },
      { value: '-1.5' },
      { value: 'a\0b' },
      {},
      { value: null },
    ])
      expect(await rejection(run(args, attempt().context))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    const inherited = runner('arguments', { args: ['{{arguments.constructor.name}}'] });
    expect(await rejection(inherited({}, attempt().context))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('accepts negative numbers only where they are declared, if that is known', async () => {
    const run = runner('arguments', { args: ['{{arguments.n}}', '{{arguments.deep.n}}'], numbers: ['deep.n'] });
    expect(await run({ n: 4, deep: { n: -4 } }, attempt().context)).toEqual(['4', '-4']);
    expect(await rejection(run({ n: -4, deep: { n: 4 } }, attempt().context))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('accepts negative numbers, and everything after a literal --', async () => {
    const run = runner('arguments', { args: ['{{arguments.n}}', '--', '{{arguments.value}}'] });
    expect(await run({ n: -4.5, value: '-rf' }, attempt().context)).toEqual(['-4.5', '--', '-rf']);
  });
});

describe('environment', () => {
  it('inherits only variables on the list, and reads secrets at each call', async () => {
    process.env['HOLDFAST_TEST_SECRET'] = 'first';
    const run = runner('environment', { env: { LITERAL: 'yes', TOKEN: { env: 'HOLDFAST_TEST_SECRET', prefix: 'Bearer ' } } });
    const seen = (await run({}, attempt().context)) as Record<string, string>;
    expect(seen).toMatchObject({ LITERAL: 'yes', TOKEN: 'Bearer first', PATH: process.env['PATH'] });
    expect(seen['HOLDFAST_TEST_SECRET']).toBeUndefined();
    const allowed = new Set(['PATH', 'HOME', 'LANG', 'TERM', 'USER', 'SHELL', 'LOGNAME', 'TMPDIR', 'LITERAL', 'TOKEN', 'HOLDFAST_TREE']);
    expect(Object.keys(seen).filter((name) => !allowed.has(name))).toEqual([]);
    process.env['HOLDFAST_TEST_SECRET'] = 'second';
    expect(await run({}, attempt().context)).toMatchObject({ TOKEN: 'Bearer second' });
    delete process.env['HOLDFAST_TEST_SECRET'];
    expect(await rejection(run({}, attempt().context))).toMatchObject({ code: 'SECRET_MISSING' });
  });

  it('runs in the given directory', async () => {
    expect(await runner('directory', { cwd: '/' })({}, attempt().context)).toBe('/');
  });
});

/** Starts a tree of three processes and returns their ids once all are running. */
async function startFamily(
  mode: string,
  graceMs: number,
): Promise<{ ids: readonly number[]; call: Promise<unknown>; made: ReturnType<typeof attempt>; run: Runner<unknown> }> {
  const file = join(mkdtempSync(join(tmpdir(), 'holdfast-')), 'ids');
  const run = processRunner({ command: process.execPath, args: [family, file, mode], graceMs });
  open.push(run);
  const made = attempt();
  const call = run({}, made.context) as Promise<unknown>;
  call.catch(() => {});
  let ids: readonly number[] = [];
  await until('three processes have started', () => {
    try {
      ids = readFileSync(file, 'utf8').trim().split('\n').map(Number);
    } catch {
      return false;
    }
    return ids.length === 3;
  });
  return { ids, call, made, run };
}

/** Observes the signals that are sent and records the time of the first SIGKILL. */
function watchSigkill(): { firstAt: () => number; unwatch: () => void } {
  const send = process.kill.bind(process);
  let at = Number.NaN;
  process.kill = (id, signal) => {
    if (signal === 'SIGKILL' && Number.isNaN(at)) at = performance.now();
    return send(id, signal);
  };
  return { firstAt: () => at, unwatch: () => void (process.kill = send) };
}

describe('abort', () => {
  it('ends a tree that handles SIGTERM before the grace period is over', async () => {
    const { ids, call, made } = await startFamily('good', 60_000);
    made.abort(new Error('time is up'));
    expect(await rejection(call)).toMatchObject({ message: 'time is up' });
    expect(ids.filter(isAlive)).toEqual([]);
  });

  it.each(['deaf', 'deaf setsid', 'deaf setsid leave'])(
    'kills a tree (%s) that ignores SIGTERM within grace + 100 ms',
    // The limit is a promise of the code: on an overloaded machine the first try may miss it.
    { retry: 2 },
    async (mode) => {
      const graceMs = 400;
      const { ids, call, made } = await startFamily(mode, graceMs);
      if (mode.includes('leave')) await until('the middle one has left', () => !isAlive(ids[1] ?? 0));
      const survivors = ids.filter(isAlive);
      const sigkill = watchSigkill();
      const start = performance.now();
      made.abort(new Error('time is up'));
      await rejection(call);
      const end = performance.now();
      sigkill.unwatch();
      expect(ids.filter(isAlive)).toEqual([]);
      expect(survivors.length).toBe(mode.includes('leave') ? 2 : 3);
      expect(sigkill.firstAt() - start).toBeGreaterThanOrEqual(graceMs - 5);
      expect(end - sigkill.firstAt()).toBeLessThanOrEqual(100);
    },
  );

  it('kills at once with a grace period of 0, and on close', async () => {
    const first = await startFamily('deaf', 0);
    first.made.abort();
    expect(await rejection(first.call)).toMatchObject({ name: 'AbortError' });
    expect(first.ids.filter(isAlive)).toEqual([]);
    const second = await startFamily('deaf', 100);
    await second.run.close?.();
    expect(await rejection(second.call)).toMatchObject({ code: 'RUNNER_CLOSED' });
    expect(second.ids.filter(isAlive)).toEqual([]);
    expect(await rejection(second.run({}, attempt().context))).toMatchObject({ code: 'RUNNER_CLOSED' });
  });

  it('starts nothing if the attempt is already aborted, and leaves no listener behind', async () => {
    const made = attempt();
    const run = runner('echo');
    await run({}, made.context);
    expect(getEventListeners(made.signal, 'abort')).toEqual([]);
    made.abort(new Error('too late'));
    expect(await rejection(run({}, made.context))).toMatchObject({ message: 'too late' });
    expect(childrenNamed('program.mjs')).toEqual([]);
  });
});

describe('a process left behind by a program', () => {
  it('is killed when the program exits, without waiting for its pipes', async () => {
    const run = processRunner({ command: '/bin/sh', args: ['-c', 'sleep 600 & echo "{\\"id\\":$!}"'] });
    const { id } = (await run({}, attempt().context)) as { readonly id: number };
    await until('the background process has ended', () => !isAlive(id));
    await run.close?.();
  });
});
