/** Every numbered example runs as a user would run it, and its own assertions hold. */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from './pages.ts';

const examples = globSync('examples/[0-9]*/main.ts', { cwd: root }).toSorted();

test('there are seven, each short', () => {
  expect(examples).toHaveLength(7);
  for (const example of examples) expect(readFileSync(join(root, example), 'utf8').split('\n').length, example).toBeLessThanOrEqual(45);
});

test.each(examples)(
  '%s',
  async (example) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@holdfast/source', example], { cwd: root });
    expect(stdout).not.toBe('');
  },
  30_000,
);
