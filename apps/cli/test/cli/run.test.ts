import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { files, turnOf } from './fixtures.ts';
import { Folder, lines } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const escape = String.fromCodePoint(27);
let folder: Folder;
beforeAll(() => {
  folder = new Folder().write({ ...files, 'odd.json': turnOf('chatty', 'stray', 'wide'), 'leave.json': turnOf('leave') });
});
afterAll(() => folder.remove());

describe.concurrent('a turn that succeeds', () => {
  test('exits with 0; results go to standard output, everything else to standard error', async () => {
    const { code, stdout, stderr } = await folder.run(['run', 'ok.json']);
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as { turn_id: string; outcome: string; results: readonly Record<string, unknown>[] };
    expect(report).toMatchObject({ turn_id: 'turn-a', outcome: 'success' });
    expect(report.results).toMatchObject([
      { call_id: 'greet', status: 'success', output: { greeting: 'Hello world' }, attempts: 1 },
      { call_id: 'flaky', status: 'success', output: { visits: 3 }, attempts: 3, served_by: 'flaky' },
    ]);
    expect(stderr).toContain('Completed flaky and greet');
    expect(stderr).toContain('trace  .holdfast/trace.db');
    expect(stderr).toContain('holdfast explain flaky');
    expect(stderr).not.toContain(escape);
  });

  test('with --output json prints only the trace', async () => {
    const { code, stdout, stderr } = await folder.run(['run', 'ok.json', '--output', 'json', '--turn-id', 'mine', '--store', 'none']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    const events = lines(stdout);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ event_type: 'TurnStarted', turn_id: 'mine', seed: 'fixed' });
    expect(events.at(-1)).toMatchObject({ event_type: 'TurnCompleted', outcome: 'success' });
    expect(events).toContainEqual(
      expect.objectContaining({ event_type: 'ToolSucceeded', message: expect.stringContaining('succeeded on retry') }),
    );
  });

  test('derives its delays from the seed', async () => {
    const delaysOf = async (seed: string): Promise<readonly unknown[]> => {
      const { stdout } = await folder.run(['run', 'ok.json', '-o', 'json', '--seed', seed, '--store', 'none']);
      return lines(stdout).flatMap((event) => (event['event_type'] === 'RetryScheduled' ? [event['delay_ms']] : []));
    };
    const [first, again, other] = await Promise.all([delaysOf('7'), delaysOf('7'), delaysOf('8')]);
    expect(first).toHaveLength(2);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  test('finds the manifest from a subfolder, and from anywhere with --config', async () => {
    folder.write({ 'deep/er/own.json': turnOf('greet') });
    const below = await folder.run(['run', 'own.json', '--store', 'none'], { cwd: folder.at('deep', 'er') });
    expect(below.code).toBe(0);
    const elsewhere = await folder.run(['run', folder.at('ok.json'), '-c', folder.at('holdfast.yaml'), '--store', 'none'], { cwd: '/' });
    expect(elsewhere.code).toBe(0);
    expect(elsewhere.stderr).toContain('not stored: the store is disabled');
  });
});

describe.concurrent('the exit code', () => {
  test('is 1 if a required call fails', async () => {
    const { code, stdout, stderr } = await folder.run(['run', 'bad.json', '--store', 'none']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'partial',
      results: [{ status: 'success' }, { status: 'error', error: { category: 'not_found', retryable: false } }],
    });
    expect(stderr).toContain('refuse failed');
  });

  test('is 3 at the deadline, with the results so far', async () => {
    const { code, stdout } = await folder.run(['run', 'hang.json', '--timeout', '1500', '--store', 'none']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'deadline',
      results: [{ status: 'success' }, { error: { code: 'TURN_DEADLINE' } }],
    });
  });

  test.each([
    ['no such turn', ['run', 'missing.json'], 'missing.json:1:1: error: there is no such file'],
    ['no such manifest', ['run', 'ok.json', '-c', 'missing.yaml'], 'there is no such file'],
    ['a bad deadline', ['run', 'ok.json', '--timeout', '-5'], 'Give a duration, such as 500ms, 20s or 5m'],
    ['a bad mode', ['run', 'ok.json', '--output', 'xml'], 'Allowed choices are auto, tty, plain, json'],
    ['an unknown option', ['run', 'ok.json', '--outptu', 'json'], 'Did you mean --output?'],
    ['an unknown command', ['rnu', 'ok.json'], 'Did you mean run?'],
    ['no turn', ['run'], "missing required argument 'turn'"],
  ])('is 2 for %s, without a stack trace', async (_name, args, message) => {
    const { code, stdout, stderr } = await folder.run(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('is 2 without a command, with the help on standard error', async () => {
    const { code, stdout, stderr } = await folder.run([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: holdfast');
  });
});

describe.concurrent('the output of tools', () => {
  test('never goes to standard output, and their stray errors do not fail the turn', async () => {
    const { code, stdout, stderr } = await folder.run(['run', 'odd.json', '--store', 'none']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ results: [{ output: 'done' }, { output: 'survived' }, { status: 'success' }] });
    expect(stderr).toContain('stray line');
    expect(stderr).toContain('stray error');
    expect(stderr).toContain('A tool failed outside its call: Error: thrown into the void');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stderr).not.toContain(escape);
  });

  test('does not corrupt the NDJSON trace', async () => {
    const { stdout, stderr } = await folder.run(['run', 'odd.json', '--output', 'json', '--store', 'none']);
    expect(lines(stdout).at(-1)).toMatchObject({ event_type: 'TurnCompleted' });
    expect(stdout).not.toMatch(/stray (?:line|error)/);
    expect(stderr).toContain('stray line');
  });

  test('a tool that exits the process loses no recorded events', async () => {
    const { code } = await folder.run(['run', 'leave.json', '--turn-id', 'left']);
    expect(code).toBe(9);
    const { stdout } = await folder.run(['trace', 'left']);
    expect(stdout).toContain('INTERRUPTED');
  });
});

describe.concurrent('the view', () => {
  test('has colours with FORCE_COLOR, and none with NO_COLOR', async () => {
    const forced = await folder.run(['run', 'ok.json', '--store', 'none'], { env: { FORCE_COLOR: '1' } });
    expect(forced.stderr).toContain(`${escape}[`);
    const plain = await folder.run(['run', 'ok.json', '--store', 'none', '--output', 'tty'], { env: { NO_COLOR: '1' } });
    // oxlint-disable-next-line no-control-regex
    expect(plain.stderr).not.toMatch(/\u001B\[[\d;]*m/);
  });

  test('fits narrow terminals', async () => {
    const { stderr } = await folder.run(['run', 'bad.json', '--store', 'none'], { env: { COLUMNS: '38' } });
    const summary = stderr.slice(stderr.indexOf('\n\n'), stderr.indexOf(' trace '));
    expect(summary).toContain('greet');
    for (const line of summary.split('\n')) expect(line.length).toBeLessThanOrEqual(38);
  });

  test('uses ASCII only if the locale has no UTF-8', async () => {
    const { stderr } = await folder.run(['run', 'ok.json', '--store', 'none'], { env: { LANG: 'C' } });
    // oxlint-disable-next-line no-control-regex
    expect(stderr).toMatch(/^[\x00-\x7F]*$/);
  });
});
