/** A short run of `npm run chaos`: the same program, with few turns and a fixed seed. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { follow } from './program.ts';

const root = join(import.meta.dirname, '../../../..');
const hasBalancer = existsSync('/usr/sbin/haproxy') || existsSync('/usr/local/sbin/haproxy');

test.runIf(hasBalancer)('turns survive kills and stops of every kind of process', { timeout: 300_000 }, async () => {
  const args = ['--conditions=@holdfast/source', 'quality/chaos/main.ts', '--turns', '24', '--faults', '10', '--seed', '5'];
  const { code, stdout, stderr } = await follow(spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })).ended;
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('lost: 0');
});
