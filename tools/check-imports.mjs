/** Runs dependency-cruiser over the existing folders. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const rooms = ['packages', 'apps', 'quality', 'examples'].filter((room) => existsSync(room));
try {
  execFileSync('depcruise', ['--config', '.dependency-cruiser.mjs', ...rooms], { stdio: 'inherit' });
} catch {
  process.exit(1);
}
