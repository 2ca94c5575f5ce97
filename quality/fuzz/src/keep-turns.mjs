/** Rewrites the turns of the acceptance tests (`quality/acceptance/turns`) from a run of all of them. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

rmSync('quality/acceptance/turns', { recursive: true, force: true });
const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'acceptance'], {
  stdio: 'inherit',
  env: { ...process.env, UPDATE_TURNS: '1' },
});
process.exitCode = status ?? 1;
