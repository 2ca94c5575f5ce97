import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { files } from './fixtures.ts';
import { Folder, lines } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let folder: Folder;
beforeAll(async () => {
  folder = new Folder().write(files);
  await folder.run(['run', 'ok.json', '--turn-id', 'alpha-1']);
  await folder.run(['run', 'bad.json', '--turn-id', 'alpha-2', '--fresh']);
});
afterAll(() => folder.remove());

describe.concurrent('turns', () => {
  test('lists turns, newest first', async () => {
    const { code, stdout } = await folder.run(['turns', '--output', 'json']);
    expect(code).toBe(0);
    expect(lines(stdout)).toMatchObject([
      { turn_id: 'alpha-2', state: 'completed', outcome: 'partial', calls: 2 },
      { turn_id: 'alpha-1', state: 'completed', outcome: 'success', calls: 2 },
    ]);
    const table = await folder.run(['turns', '-n', '1']);
    expect(table.stdout).toContain('alpha-2');
    expect(table.stdout).not.toContain('alpha-1');
  });

  test('selects by outcome and by time', async () => {
    const idsOf = async (...options: readonly string[]): Promise<readonly unknown[]> =>
      lines((await folder.run(['turns', '-o', 'json', ...options])).stdout).map(({ turn_id: id }) => id);
    expect(await idsOf('--outcome', 'partial')).toEqual(['alpha-2']);
    expect(await idsOf('--outcome', 'success', '--since', '1h')).toEqual(['alpha-1']);
    expect(await idsOf('--since', '2999-01-01')).toEqual([]);
    const none = await folder.run(['turns', '--outcome', 'deadline']);
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'No turn matches.\n' });
    const wrong = await folder.run(['turns', '--outcome', 'fine']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('Allowed choices are success, partial, failed, deadline, cancelled, running, interrupted.');
  });
});

describe.concurrent('trace', () => {
  test('shows the latest turn, or the given one', async () => {
    const [latest, named] = await Promise.all([folder.run(['trace']), folder.run(['trace', 'alpha-1'])]);
    expect(latest.stdout).toContain('turn alpha-2');
    expect(named.stdout).toContain('turn alpha-1');
    expect(named.stdout).toContain('attempt 3');
  });

  test('prints the recorded events with --output json', async () => {
    const { stdout } = await folder.run(['trace', 'alpha-1', '-o', 'json']);
    const events = lines(stdout);
    expect(events[0]).toMatchObject({ event_type: 'TurnStarted', seq: 1 });
    expect(events.at(-1)).toMatchObject({ event_type: 'TurnCompleted', seq: events.length });
  });

  test('exports for a collector and for Perfetto', async () => {
    const [otlp, chrome] = await Promise.all(['otlp', 'chrome'].map((format) => folder.run(['trace', 'alpha-1', '--export', format])));
    const { resourceSpans } = JSON.parse(otlp?.stdout ?? '') as { readonly resourceSpans: readonly unknown[] };
    expect(resourceSpans).toHaveLength(1);
    expect(JSON.stringify(resourceSpans)).toContain('holdfast.turn');
    const { otherData } = JSON.parse(chrome?.stdout ?? '') as { readonly otherData: unknown };
    expect(otherData).toMatchObject({ turn_id: 'alpha-1' });
  });

  test('accepts a prefix only if it matches one turn', async () => {
    const [several, none] = await Promise.all([folder.run(['trace', 'alpha']), folder.run(['trace', 'alpah-1'])]);
    expect(several.code).toBe(2);
    expect(several.stderr).toContain("several turns start with 'alpha': alpha-2, alpha-1");
    expect(none.code).toBe(2);
    expect(none.stderr).toContain("there is no turn 'alpah-1'. Did you mean 'alpha-1'?");
  });
});

describe.concurrent('explain', () => {
  test('explains each decision, also for an older turn if the latest has no such call', async () => {
    const { code, stdout } = await folder.run(['explain', 'flaky']);
    expect(code).toBe(0);
    expect(stdout).toContain('Transient error + circuit closed + retries available');
    expect(stdout).toContain('2 decisions');
  });

  test('without a call explains the one that failed, or else the one with the most decisions', async () => {
    const [failed, retried] = await Promise.all([folder.run(['explain']), folder.run(['explain', '--turn', 'alpha-1'])]);
    expect(failed.stdout).toContain('✘ refuse');
    expect(retried.stdout).toContain('✔ flaky');
  });

  test('prints one document with --output json', async () => {
    const { stdout } = await folder.run(['explain', 'flaky', '-o', 'json']);
    const [call, ...more] = lines(stdout);
    expect(more).toEqual([]);
    expect(call).toMatchObject({
      turn_id: 'alpha-1',
      call_id: 'flaky',
      tool_id: 'flaky',
      status: 'success',
      decisions: [
        { attempt: 1, inputs: { classification: 'transient' }, decision: { action: 'retry' }, would_have_changed: [] },
        { attempt: 2, decision: { action: 'retry' } },
      ],
      result: { status: 'success', attempts: 3 },
    });
  });

  test('suggests the nearest call id', async () => {
    const { code, stderr } = await folder.run(['explain', 'gret', '--turn', 'alpha-2']);
    expect(code).toBe(2);
    expect(stderr).toContain("Did you mean 'greet'?");
  });
});

describe.concurrent('replay', () => {
  test('makes the same decisions', async () => {
    const { code, stdout } = await folder.run(['replay', 'alpha-1']);
    expect(stdout).toContain('all 2 decisions are the same as recorded');
    expect(code).toBe(0);
  });

  test('shows what another manifest would have done', async () => {
    folder.write({
      'hasty.yaml': `tools: [{ id: flaky, run: { module: ./tools.mjs, export: flaky }, retry_policy: { max_attempts: 2 } }]`,
    });
    const { code, stdout } = await folder.run(['replay', 'alpha-1', '--policy', 'hasty.yaml']);
    expect(code).toBe(0);
    expect(stdout).toContain('Decisions that hasty.yaml would have changed');
    expect(stdout).toMatch(/flaky 2: retry in \d+ms => \w+.*stopped by attempts/);
    expect(stdout).toMatch(/As recorded: \w+ in .+, \d+ attempts, 2 retries\./);
    expect(stdout).toMatch(/With hasty\.yaml: \w+ in .+, \d+ attempts, 1 retry\./);
    expect(stdout).toMatch(/flaky ends differently: success => error/);
  });

  test('takes a profile', async () => {
    const { code, stdout } = await folder.run(['replay', 'alpha-1', '--policy', 'adaptive']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/With adaptive: success in /);
    const unknown = await folder.run(['replay', 'alpha-1', '--policy', 'adaptiv']);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain("there is no policy 'adaptiv'. Did you mean 'adaptive'?");
  });
});

describe.concurrent('tools', () => {
  test('lists every tool with its settings', async () => {
    const { code, stdout } = await folder.run(['tools']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/sleeper\s+command\s+closed\s+5\s+30s/);
    expect(stdout).toMatch(/greet\s+module\s+closed/);
  });
});

describe.concurrent('check', () => {
  test('reports ok for valid files', async () => {
    const { code, stdout } = await folder.run(['check', 'holdfast.yaml', 'ok.json']);
    expect(code).toBe(0);
    expect(stdout).toBe('holdfast.yaml: ok\nok.json: ok\n');
  });

  test('reports each error with its position and a fix', async () => {
    folder.write({
      'wrong.yaml':
        'version: 1\ntools:\n  - id: a\n    run: { module: ./gone.mjs }\n    timout_ms: 5\n  - id: a\n    run: { module: ./tools.mjs }\n',
      'wrong-turn.yaml': 'calls:\n  - { call_id: x, tool_id: gret }\n  - { call_id: y, tool_id: greet, depends_on: [z] }\n',
    });
    const { code, stdout, stderr } = await folder.run(['check', 'wrong.yaml', 'wrong-turn.yaml', '-c', 'holdfast.yaml']);
    expect(code).toBe(2);
    expect(stdout).toMatch(/wrong\.yaml:5:5: error: .*timout_ms/);
    expect(stdout).toContain('did you mean timeout_ms?');
    expect(stdout).toMatch(/wrong\.yaml:4:\d+: error: there is no file \.\/gone\.mjs/);
    expect(stdout).toMatch(/wrong\.yaml:6:9: error: two tools have the id/);
    expect(stdout).toMatch(/wrong-turn\.yaml:3:\d+: error: there is no call/);
    expect(stderr).not.toMatch(/^\s+at /m);
    const json = await folder.run(['check', 'wrong.yaml', '-o', 'json']);
    expect(lines(json.stdout)).toContainEqual(expect.objectContaining({ line: 5, column: 5, severity: 'error' }));
  });
});

describe.concurrent('init', () => {
  test('writes a project whose tools fail and recover', async () => {
    const started = await folder.run(['init', 'new/project']);
    expect(started.code).toBe(0);
    expect(readdirSync(folder.at('new', 'project')).toSorted()).toEqual(['holdfast.yaml', 'tools.mjs', 'turn.yaml']);
    const inFolder = { cwd: folder.at('new', 'project') };
    expect((await folder.run(['check'], inFolder)).stdout).toBe('holdfast.yaml: ok\nturn.yaml: ok\n');
    const run = await folder.run(['run', 'turn.yaml', '--timeout', '30s'], inFolder);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('deadline 30s');
    expect(JSON.parse(run.stdout)).toMatchObject({
      outcome: 'success',
      results: [
        { call_id: 'flight', status: 'success', attempts: 2 },
        { call_id: 'hotel', status: 'success', served_by: 'hotel_search_backup' },
        { call_id: 'confirmation', status: 'error', attempts: 1, error: { ambiguous: true } },
      ],
    });
    expect(run.stderr).toMatch(/next {3}holdfast explain confirmation\n/);
  });

  test('names commands that work on what it wrote', async () => {
    const { stderr } = await folder.run(['init', 'next']);
    const inFolder = { cwd: folder.at('next') };
    const named = [...stderr.matchAll(/^ {2}holdfast (.*?) +# /gm)].map(([, command]) => (command ?? '').split(' '));
    expect(named.map(([name]) => name)).toEqual(['run', 'explain', 'explain', 'replay', 'whatif', 'serve']);
    for (const command of named.slice(0, -1)) {
      // oxlint-disable-next-line no-await-in-loop -- each reads what the first has recorded
      expect([command, (await folder.run(command, inFolder)).code]).toEqual([command, 0]);
    }
  });

  test('never overwrites', async () => {
    const inFolder = { cwd: folder.at('new', 'other') };
    await folder.run(['init', 'new/other']);
    folder.write({ 'new/other/tools.mjs': 'mine' });
    const again = await folder.run(['init'], inFolder);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('would be overwritten');
    expect(readFileSync(folder.at('new', 'other', 'tools.mjs'), 'utf8')).toBe('mine');
  });
});

describe.concurrent('help', () => {
  test('goes to standard output and ends with 0', async () => {
    const [root, run, version] = await Promise.all([folder.run(['--help']), folder.run(['help', 'run']), folder.run(['--version'])]);
    expect(root).toMatchObject({ code: 0, stderr: '' });
    const commands = [
      'run',
      'serve',
      'check',
      'doctor',
      'tools',
      'turns',
      'trace',
      'explain',
      'replay',
      'init',
      'mcp-config',
      'lock',
      'rules',
    ];
    for (const command of commands) expect(root.stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain('Exit codes');
    expect(run.stdout).toContain('--config <path>');
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
