/** A small framework in a folder of its own, run bare and wrapped as a checkout of a real one. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compare } from '../../frameworks/compare.ts';
import type { Framework, Way } from '../../frameworks/framework.ts';
import { countsOf, versionOf } from '../../frameworks/results.ts';
import { runSuite, type SuiteResults } from '../../frameworks/run-suite.ts';

const checkout = mkdtempSync(join(tmpdir(), 'holdfast-fake-framework-'));
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

const files = {
  'fake/package.json': JSON.stringify({ name: 'fake', version: '3.2.1', type: 'module' }),
  'fake/src/index.ts': `
    export const callTool = (run: () => unknown, signal?: AbortSignal): unknown => run();
    export class Runner { label = 'bare'; call(run: () => unknown): unknown { return callTool(run); } }
  `,
  'fake/test/words.test.ts': `
    import { expect, test } from 'vitest';
    import { callTool, Runner } from '../src/index';
    test('same', () => expect(callTool(() => 1)).toBe(1));
    test('words', () => expect(callTool(() => 'text')).toBe('text'));
    test('the framework itself is not wrapped', () => expect(new Runner().call(() => 'text')).toBe('text'));
    test('twice', () => expect(callTool(() => 2)).toBe(2));
    test('twice', () => expect(callTool(() => 'text')).toBe('text'));
    test('better', () => expect(callTool(() => 'text')).toBe('text!'));
    test.skip('skipped', () => undefined);
    test('escapes', () => void callTool(() => 'escape'));
  `,
  'fake/test/waits.test.ts': `
    import { expect, test } from 'vitest';
    import { callTool } from '../src/index';
    test('answers', async () => expect(await callTool(() => 'wait')).toBe('wait'));
    test('after that', () => expect(1).toBe(1));
  `,
  'fake/test/blocks.test.ts': `
    import { expect, test } from 'vitest';
    import { callTool } from '../src/index';
    test('before', () => expect(1).toBe(1));
    test('returns', () => expect(callTool(() => 'block')).toBe('block'));
  `,
  'fake/test/other.int.test.ts': `throw new Error('excluded')`,
  'way.ts': `
    const outcomes: Record<string, () => unknown> = {
      text: () => 'text!',
      wait: () => new Promise(() => undefined),
      block: () => { for (;;); },
      escape: () => void Promise.reject(new Error('escaped')),
    };
    export const callTool = (original: (run: () => unknown) => unknown) => (run: () => unknown) => {
      const output = original(run);
      return (outcomes[String(output)] ?? (() => output))();
    };
  `,
  'setup.ts': `
    import { Runner } from 'fake';
    Runner.prototype.call = () => 'patched';
  `,
} as const;

const framework: Framework = {
  name: 'fake',
  title: 'Fake',
  adapter: '@holdfast/fake',
  repository: 'none/fake',
  folder: 'fake',
  runner: 'vitest',
  tests: ['test/*.test.ts', '!test/*.int.test.ts'],
  sources: { fake: 'fake/src/index.ts' },
  packages: ['fake'],
  ways: [
    { name: 'wrapped', title: 'wrapped', code: join(checkout, 'way.ts'), replaces: [{ module: 'src/index.ts', names: ['callTool'] }] },
    { name: 'setup', title: 'setup', code: join(checkout, 'setup.ts') },
  ],
};

beforeAll(() => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  }
  mkdirSync(join(checkout, 'node_modules'));
  const vitest = dirname(createRequire(import.meta.url).resolve('vitest/package.json'));
  symlinkSync(vitest, join(checkout, 'node_modules/vitest'));
});

const run = (way?: string, filter?: string): Promise<SuiteResults> =>
  runSuite({
    framework,
    checkout,
    way: framework.ways.find(({ name }) => name === way),
    filter,
    testTimeoutMs: 1_000,
    silenceMs: 10_000,
  });

describe('the tests of a framework', () => {
  test('bare and wrapped: what fails, waits and blocks is found, and the rest still runs', { timeout: 300_000 }, async () => {
    const bare = await run();
    expect(countsOf(bare)).toEqual({ passed: 10, failed: 1, skipped: 1, hung: 0 });
    const wrapped = await run('wrapped');
    const differences = compare(bare, wrapped);
    const kinds = Object.fromEntries(differences.map((each) => [each.test, `${each.bare} → ${each.wrapped}`]));
    expect(kinds).toEqual({
      'test/words.test.ts > words': 'passed → failed',
      'test/words.test.ts > twice (2)': 'passed → failed',
      'test/words.test.ts > better': 'failed → passed',
      'test/waits.test.ts > answers': 'passed → failed',
      // A process that is blocked reports nothing.
      'test/blocks.test.ts > before': 'passed → absent',
      'test/blocks.test.ts > returns': 'passed → absent',
      'test/blocks.test.ts > (file)': 'absent → hung',
    });
    expect(differences.find((each) => each.test.endsWith('words'))?.error).toMatch(/expected 'text!' to be 'text'/);
    expect(differences.find((each) => each.test.endsWith('answers'))?.error).toMatch(/timed out in 1000ms/);
    expect(wrapped.get('test/waits.test.ts > after that')?.state).toBe('passed');
  });

  test('an error that escapes to the process is a difference', { timeout: 300_000 }, async () => {
    const differences = compare(await run(undefined, 'words'), await run('wrapped', 'words'));
    expect(differences).toContainEqual({ test: '(escaped) > escaped', bare: 'absent', wrapped: 'failed', error: 'escaped' });
  });

  test('a way whose replacements no test imports is refused', { timeout: 300_000 }, async () => {
    const way: Way = {
      name: 'idle',
      title: 'idle',
      code: join(checkout, 'way.ts'),
      replaces: [{ module: 'src/none.ts', names: ['callTool'] }],
    };
    const idle = runSuite({ framework, checkout, way, filter: 'words', testTimeoutMs: 1_000, silenceMs: 10_000 });
    await expect(idle).rejects.toThrow(/nothing was wrapped/);
  });

  test('a way may change the framework before the tests', { timeout: 300_000 }, async () => {
    const differences = compare(await run(undefined, 'words'), await run('setup', 'words'));
    expect(differences.map((each) => each.test)).toEqual(['test/words.test.ts > the framework itself is not wrapped']);
  });

  test('files and version are those of the checkout', () => {
    expect(versionOf(framework, checkout)).toEqual({ version: '3.2.1', commit: 'unknown' });
    expect(readFileSync(join(checkout, 'fake/package.json'), 'utf8')).toContain('3.2.1');
  });

  test('a checkout without the tests is refused', async () => {
    await expect(run(undefined, 'none')).rejects.toThrow(/has none of the test files of Fake/);
  });
});
