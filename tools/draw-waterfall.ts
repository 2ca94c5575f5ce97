/**
 * `npm run docs:picture`: runs the demonstration of `npm start` and draws the waterfall that `holdfast trace` prints of it, for light and dark pages.
 * Writes docs/images/waterfall-{light,dark}.svg.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawTerminal, themes } from './docs/terminal-picture.ts';

const root = join(import.meta.dirname, '..');
const columns = 100;
const folder = mkdtempSync(join(tmpdir(), 'waterfall-'));
const store = ['--store', join(folder, 'trace.db')];

function run(args: readonly string[]): string {
  const env = { ...process.env, FORCE_COLOR: '1', COLUMNS: String(columns), LANG: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=@holdfast/source', ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

try {
  run(['tools/start.ts', ...store]);
  const trace = run(['apps/cli/bin/holdfast.mjs', 'trace', '--config', 'examples/travel/holdfast.yaml', ...store]);
  // The waterfall ends at the first empty line; the list of events follows.
  const waterfall = trace.split('\n\n')[0] ?? '';
  for (const [name, theme] of Object.entries(themes))
    writeFileSync(join(root, `docs/images/waterfall-${name}.svg`), drawTerminal(waterfall, theme, columns));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
