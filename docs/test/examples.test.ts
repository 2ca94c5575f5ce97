/** Every numbered example runs as a user would run it, and its own assertions hold. */
import { execFile } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from './pages.ts';

const examples = globSync('examples/[0-9]*/main.ts', { cwd: root }).toSorted();

const linesOf = (example: string): number => readFileSync(join(root, example), 'utf8').trimEnd().split('\n').length;
const adapters = readdirSync(join(root, 'packages/adapters')).filter((name) => name !== 'kit');

test('each is short, and there is one per adapter', () => {
  for (const example of examples) expect(linesOf(example), example).toBeLessThanOrEqual(45);
  for (const adapter of adapters) {
    const own = examples.filter((example) => example.endsWith(`-${adapter}/main.ts`));
    expect(own, adapter).toHaveLength(1);
    for (const example of own) expect(linesOf(example), example).toBeLessThan(30);
  }
});

// Frameworks are loaded by several examples, and compiled once.
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile') };

test.concurrent.each(examples)(
  '%s',
  async (example) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@holdfast/source', example], { cwd: root, env });
    expect(stdout).not.toBe('');
  },
  120_000,
);
