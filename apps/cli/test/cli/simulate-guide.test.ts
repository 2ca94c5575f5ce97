/** The output of `simulate` that the guide shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommandLine } from '../../src/program.ts';
import { createRecorder } from './recorder.ts';

test('simulate prints what its guide shows', { timeout: 180_000 }, async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/guide/simulate.md'), 'utf8');
  const [, command = '', shown] = /^```\n\$ npx holdfast (simulate .*)\n([\s\S]*?)^```$/mu.exec(page) ?? [];
  const { console, output } = createRecorder(100, 'unicode');
  expect(await runCommandLine(command.split(' '), console)).toBe(0);
  expect(output().stdout.trim()).toBe(shown?.trim());
});
