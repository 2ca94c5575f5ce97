/** simulate, whatif and tune: files, a store with real turns, exit codes, narrow terminals. A test starts a process only if it has to, since that takes a second. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { postgresStore } from '@holdfast/store-postgres';
import { startPostgres } from '@holdfast/store-postgres/testing';
import { sqliteStore } from '@holdfast/store-sqlite';
import { runCommandLine } from '../../src/program.ts';
import { files, world } from './lab-files.ts';
import { type Ended, Folder, lines } from './program.ts';
import { createRecorder } from './recorder.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let folder: Folder;
beforeAll(async () => {
  folder = new Folder().write(files);
  await folder.run(['run', 'turn.json', '--fresh']);
});
afterAll(() => folder.remove());

type Outcome = Pick<Ended, 'code' | 'stdout' | 'stderr'>;

/** Runs a command in this process, with file names resolved to absolute paths. */
async function runHere(args: readonly string[], width = 100, glyphs: 'unicode' | 'ascii' = 'unicode'): Promise<Outcome> {
  const { console, output } = createRecorder(width, glyphs);
  const absolute = args.map((argument) => (/^[\w-]+\.(?:yaml|db|diff)$/.test(argument) ? folder.at(argument) : argument));
  const store = args.includes('--store') ? [] : ['--store', folder.at('.holdfast', 'trace.db')];
  const code = await runCommandLine([...absolute, ...store, '-c', folder.at('holdfast.yaml')], console);
  // Shown is the shorter of both paths, which depends on where the repository is.
  const shown = [folder.path, relative(process.cwd(), folder.path)];
  const shorten = (text: string): string => shown.reduce((rest, path) => rest.replaceAll(`${path}/`, ''), text);
  const { stdout, stderr } = output();
  return { code, stdout: shorten(stdout), stderr: shorten(stderr) };
}

describe.concurrent('simulate', () => {
  const run = (...args: readonly string[]) => folder.run(['simulate', ...args]);
  const here = (...args: readonly string[]) => runHere(['simulate', ...args]);

  test('compares policies, with the same output for the same seed', async () => {
    const args = ['world.yaml', '-p', 'a.yaml', '-p', 'adaptive', '-p', 'peer:cockatiel', '--seeds', '2', '--seed', 'x', '--chart'];
    const [first, second] = await Promise.all([run(...args), run(...args)]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toBe(first.stdout);
    expect(first.stdout).toMatch(/^ world: Down for five seconds\n 2 seeds, means; \d+ turns each\n/);
    for (const policy of ['a.yaml', 'adaptive', 'peer:cockatiel'])
      expect(first.stdout).toMatch(new RegExp(`^ ${policy} +\\d+\\.\\d%`, 'm'));
    expect(first.stdout).toMatch(/^ fault +━+$/m);
    expect(first.stdout).toMatch(/^ adaptive +█{3,}[▁▂▃▄▅▆▇█]+/m);
    expect((await run(...args.with(8, 'y'))).stdout).not.toBe(first.stdout);
  });

  test('spreads the agents over processes', async () => {
    const { stdout } = await here('world.yaml', '-p', 'none', '-p', 'spec', '--processes', '7', '--seeds', '1');
    expect(stdout).toMatch(/turns each, in 7 processes that share nothing\n/);
    const figures = async (...more: readonly string[]) =>
      lines((await here('world.yaml', '-p', 'none', '-p', 'spec', '--seeds', '1', '-o', 'json', ...more)).stdout);
    const [[none, spec], [noneOfSeven, specOfSeven]] = [await figures(), await figures('--processes', '7')] as const;
    expect(noneOfSeven).toEqual(none);
    expect(specOfSeven?.['requests']).not.toBe(spec?.['requests']);
    expect((await here('world.yaml', '--processes', '0')).stderr).toContain('Give a whole number of at least 1.');
  });

  test('prints JSON', async () => {
    const { stdout } = await here('world.yaml', '-p', 'none', '--seeds', '2', '-o', 'json', '--chart', 'requests');
    const [only, ...others] = lines(stdout);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ world: 'world', policy: 'none', seeds: ['1.1', '1.2'], requests_per_call: 1, duplicates: 0 });
    const [one, two] = (only?.['runs'] ?? []) as readonly {
      readonly seed: string;
      readonly success: number;
      readonly faults: unknown;
      readonly series: { readonly begun: readonly number[] };
    }[];
    expect(one?.faults).toEqual([{ kind: 'outage', of: 'index', from_ms: 5000, until_ms: 10_000 }]);
    expect(one?.series.begun.length).toBeGreaterThanOrEqual(20);
    expect(only?.['success']).toBeCloseTo(((one?.success ?? 0) + (two?.success ?? 0)) / 2);
    // One run of many can be repeated alone.
    const alone = lines((await here('world.yaml', '-p', 'none', '--seeds', '1', '--seed', '1.2', '-o', 'json')).stdout);
    expect(alone).toMatchObject([{ seeds: ['1.2'], success: two?.success }]);
  });

  test('simulates memory that a policy switches on or off', async () => {
    const sent = async (policy: string): Promise<unknown> => {
      const name = `memory-${policy.length}.yaml`;
      writeFileSync(folder.at(name), `${policy}defaults: { circuit_breaker: false }`);
      return lines((await here('world.yaml', '-p', name, '--seeds', '1', '-o', 'json')).stdout)[0]?.['requests_per_call'];
    };
    const [spec, on, off] = [await sent(''), await sent('memory: on\n'), await sent('memory: off\n')];
    expect([spec === off, spec === on]).toEqual([true, false]);
  });

  test('checks expectations', async () => {
    const { code, stderr, stdout } = await run(
      'world.yaml',
      '-p',
      'none',
      '-p',
      'adaptive',
      '--seeds',
      '1',
      '-e',
      'none:success>=90%',
      '-e',
      'success>0.1',
      '-e',
      'recovery_s<60',
      '-o',
      'json',
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/^holdfast: world, none: expected none:success>=90%, but success is 0\.\d+\.\n$/);
    expect(lines(stdout)).toMatchObject([
      {
        policy: 'none',
        expectations: [{ holds: false, message: expect.stringContaining('but success is') }, { holds: true }, { holds: true }],
      },
      { policy: 'adaptive', expectations: [{ holds: true }, { holds: true }] },
    ]);
    expect((await here('world.yaml', '-p', 'none', '--seeds', '1', '-e', 'success_during<=5%')).code).toBe(0);
  });

  test.each([
    [['-e', 'succes>=0.9'], "there is no metric 'succes'. Did you mean 'success'?"],
    [['-e', 'success>=99'], '99 is not a fraction. Write a number from 0 to 1, or a percentage such as 99%.'],
    [['-e', 'success'], "--expect 'success' is invalid."],
    [['-e', 'spek:success>0'], "the policy 'spek' is not part of this run. Did you mean 'spec'?"],
    [['-e', 'mean_ms<5%'], 'mean_ms is not a fraction'],
    [['-p', 'adaptve'], "there is no policy 'adaptve'. Did you mean 'adaptive'?"],
    [['-p', 'cockatiel'], "Did you mean 'peer:cockatiel'?"],
    [['-p', 'peer:cocatiel'], "Did you mean 'peer:cockatiel'?"],
    [['-p', 'nothing.yaml'], 'there is no such file'],
    [['-s', 'black-hol'], "there is no scenario 'black-hol'. Did you mean 'black_hole'?"],
    [['--seeds', '0'], 'Give a whole number of at least 1.'],
    [['--chart', 'sucess'], 'Allowed choices are success, latency, requests, waiting'],
  ])('%j is rejected with a fix', async (args, message) => {
    const { code, stdout, stderr } = await here('world.yaml', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('reports problems of a file with their position', async () => {
    writeFileSync(folder.at('bad.yaml'), world.replace('service: index }', 'service: indx }'));
    const { code, stderr } = await here('bad.yaml');
    expect(code).toBe(2);
    expect(stderr).toContain("bad.yaml:5:29: error: there is no service 'indx'");
    expect(stderr).toContain('did you mean index?');
    expect(stderr).toContain('bad.yaml cannot be used: 1 error.');
    expect((await here()).stderr).toContain('no world given.');
  });

  test('warns about a policy for a tool that no world has', async () => {
    writeFileSync(folder.at('typo.yaml'), 'tools: [{ id: serch, timeout_ms: 100 }]');
    const { code, stderr } = await here('world.yaml', '-p', 'typo.yaml', '--seeds', '1');
    expect({ code, stderr }).toEqual({ code: 0, stderr: "holdfast: typo.yaml: no world has the tool 'serch'. Did you mean 'search'?\n" });
  });

  test('writes a scenario to edit, and never overwrites', async () => {
    const { code, stderr } = await here('-s', 'flapping', '--write', 'mine.yaml');
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({ code: 0, stderr: ' wrote  mine.yaml' });
    const text = readFileSync(folder.at('mine.yaml'), 'utf8');
    expect(text).toContain('# Requests that one replica processes concurrently.');
    const again = await here('-s', 'outage', '--write', 'mine.yaml');
    expect({ code: again.code, text: readFileSync(folder.at('mine.yaml'), 'utf8') }).toEqual({ code: 2, text });
    expect(again.stderr).toContain('nothing was written: mine.yaml would be overwritten.');
    writeFileSync(folder.at('short.yaml'), text.replace('duration_ms: 350000', 'duration_ms: 3000'));
    expect((await here('short.yaml', '-p', 'none', '--seeds', '1')).stdout).toContain(' flapping: ');
  });

  test('lists the catalogue', async () => {
    const { stdout } = await here('--list', '-o', 'json');
    const listed = lines(stdout);
    expect(listed.filter(({ kind }) => kind === 'scenario').map(({ name }) => name)).toContain('retry_storm');
    expect(listed.filter(({ kind }) => kind === 'policy').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['spec', 'adaptive', 'none', 'peer:opossum', 'peer:oracle']),
    );
  });

  test.each([30, 60, 100])('fits into %d columns, in ASCII too', async (width) => {
    const { stdout } = await runHere(
      ['simulate', 'world.yaml', '-p', 'adaptive', '-p', 'none', '--seeds', '1', '--chart', 'latency'],
      width,
      'ascii',
    );
    for (const line of stdout.split('\n').slice(1)) expect(line.length, line).toBeLessThanOrEqual(width);
    expect(stdout).toMatch(/^[\n -~]*$/);
    expect(stdout).toContain('success');
    expect(stdout).toMatch(/^ fault +=+$/m);
  });
});

describe.concurrent('whatif', () => {
  const run = (...args: readonly string[]) => runHere(['whatif', ...args]);

  test('gives exact results for the same settings, and ranges for what was not observed', async () => {
    writeFileSync(folder.at('same.yaml'), 'defaults: { retry_policy: { max_attempts: 2 } }');
    const same = JSON.parse((await run('-p', 'same.yaml', '-o', 'json')).stdout) as Answer;
    const { recorded, changed } = same.total;
    expect(same.total).toMatchObject({ calls: 20, observed_share: 1 });
    expect(changed.succeeded).toEqual({ low: recorded.succeeded, high: recorded.succeeded });
    expect(changed.requests).toEqual({ low: recorded.requests, high: recorded.requests });
    const more = JSON.parse((await run('-p', 'b.yaml', '-t', 'flaky', '-o', 'json')).stdout) as Answer;
    expect(Object.keys(more.tools)).toEqual(['flaky']);
    expect(more.tools['flaky']?.changed.succeeded.high).toBeGreaterThan(more.tools['flaky']?.changed.succeeded.low ?? Infinity);
    expect(more.tools['flaky']?.observed_share).toBeLessThan(1);
  });

  test('prints a table', async () => {
    const { code, stdout, stderr } = await run('-p', 'adaptive', '-s', '1h');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(' 1 turn: first row as recorded, second row with adaptive.');
    expect(stdout).toMatch(/^ flaky +16 /m);
    expect(stdout).toMatch(/^ total +20 /m);
    expect(stdout).toContain('Assumptions:');
    const narrow = await runHere(['whatif', '-p', 'b.yaml'], 40);
    for (const line of narrow.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(40);
  });

  test('reports how many turns were left out, and why', async () => {
    // In a separate store, since other tests count the turns of theirs.
    await folder.run(['run', 'turn.json', '--fresh', '--store', 'twice.db']);
    await folder.run(['run', 'turn.json', '--fresh', '--store', 'twice.db']);
    const { stdout } = await run('-p', 'b.yaml', '--store', 'twice.db');
    expect(stdout).toContain(' Left out: 1 turn.\n   1: duplicate of another turn\n');
    expect((await run('-p', 'b.yaml', '--store', 'twice.db', '-n', '1')).stderr).toContain('used the newest 1.');
  });

  test.each([
    [['-p', 'adaptve'], "there is no policy 'adaptve'. Did you mean 'adaptive'?"],
    [['-p', 'peer:cockatiel'], 'works only with simulate. Name a file, or one of spec'],
    [['-p', 'nothing.yaml', '--store', 'nothing.db'], 'nothing.yaml:1:1: error: there is no such file'],
    [['-p', 'b.yaml', '-t', 'flakey'], "no turn in that period calls 'flakey'. Did you mean 'flaky'?"],
    [['-p', 'b.yaml', '-s', 'yesterday'], 'Give an age, such as 30m, 24h or 7d'],
    [['-p', 'b.yaml', '-s', '2999-01-01'], 'no turn started since 2999-01-01T00:00:00.000Z'],
    [['-p', 'b.yaml', '--store', 'nothing.db'], 'there is no trace yet at nothing.db'],
    [[], "required option '-p, --policy <policy>' not specified"],
  ])('%j is rejected with a fix', async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

interface Answer {
  readonly total: Part;
  readonly tools: Readonly<Record<string, Part>>;
}

interface Part {
  readonly observed_share: number;
  readonly recorded: { readonly succeeded: number; readonly requests: number };
  readonly changed: Readonly<Record<'succeeded' | 'requests', { readonly low: number; readonly high: number }>>;
}

describe('tune', () => {
  const run = (...args: readonly string[]) => folder.run(['tune', ...args]);
  const here = (...args: readonly string[]) => runHere(['tune', ...args]);

  test('shows the trade-off and writes the change for review, without applying it', async () => {
    const before = readFileSync(folder.at('holdfast.yaml'), 'utf8');
    const { code, stdout, stderr } = await run('flaky', '--candidates', '24', '--write', 'flaky.diff');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ flaky: 16 calls and \d+ attempts recorded/);
    expect(stdout).toMatch(/^ current +\d/m);
    expect(stdout).toMatch(/Recommended: \d+\./);
    expect(stderr).toContain(' wrote  flaky.diff');
    expect(readFileSync(folder.at('holdfast.yaml'), 'utf8')).toBe(before);
    expect(readFileSync(folder.at('flaky.diff'), 'utf8')).toMatch(/^--- a\/holdfast\.yaml\n\+\+\+ b\/holdfast\.yaml\n@@ /);
    execFileSync('git', ['apply', 'flaky.diff'], { cwd: folder.path });
    const after = readFileSync(folder.at('holdfast.yaml'), 'utf8');
    expect(after).toContain('  - id: flaky # fails now and then\n');
    expect(after).not.toBe(before);
    expect((await runHere(['check', 'holdfast.yaml'])).code).toBe(0);
    writeFileSync(folder.at('holdfast.yaml'), before);
    const again = await here('flaky', '--write', 'flaky.diff');
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toContain('nothing was written: flaky.diff would be overwritten.');
  });

  test('writes a diff that patch accepts for a manifest in another folder', async () => {
    folder.write({ 'below/note.txt': '' });
    const { code, stderr } = await folder.run(
      ['tune', 'flaky', '--candidates', '3', '--write', 'own.diff', '--store', '../.holdfast/trace.db'],
      {
        cwd: folder.at('below'),
      },
    );
    expect(code).toBe(0);
    expect(stderr).toContain('apply the change with: patch ../holdfast.yaml < own.diff');
    expect(readFileSync(folder.at('below', 'own.diff'), 'utf8')).toMatch(/^--- a\/holdfast\.yaml\n/);
    expect((await here('flaky', '--write', folder.at('nowhere', 'x.diff'))).stderr).toContain('there is no folder nowhere');
  });

  test('prints JSON, the same for the same seed', async () => {
    const args = ['flaky', '--candidates', '4', '-o', 'json'];
    const [first, second] = await Promise.all([here(...args), here(...args)]);
    expect(second.stdout).toBe(first.stdout);
    const { tool_id, points, current } = JSON.parse(first.stdout) as {
      readonly tool_id: string;
      readonly points: readonly unknown[];
      readonly current: unknown;
    };
    expect({ tool_id, points: points.length }).toEqual({ tool_id: 'flaky', points: 4 });
    expect(current).toMatchObject({ changes: {}, words: [] });
  });

  test('rejects a tool that was never called', async () => {
    const { code, stderr } = await here('flakey');
    expect({ code, stderr }).toEqual({ code: 2, stderr: "holdfast: no turn in that period calls 'flakey'. Did you mean 'flaky'?\n" });
  });
});

test('whatif and tune give the same results from a database as from a file', async () => {
  const server = await startPostgres();
  const [file, database] = [sqliteStore({ path: folder.at('.holdfast', 'trace.db'), readOnly: true }), postgresStore({ url: server.url })];
  try {
    for (const { turnId, run } of await file.listTurns()) database.append((await file.readTurn(turnId, run)) ?? []);
    await database.flush();
    for (const args of [
      ['whatif', '-p', 'b.yaml'],
      ['tune', 'flaky', '--candidates', '1'],
    ]) {
      const [actual, expected] = [await runHere([...args, '-o', 'json', '--store', server.url]), await runHere([...args, '-o', 'json'])];
      expect(actual).toEqual(expected);
      expect(JSON.parse(actual.stdout)).toHaveProperty('left_out', []);
    }
  } finally {
    await Promise.all([file.close(), database.close()]);
    await server.stop();
  }
});
