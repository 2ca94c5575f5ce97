/** Every check but the tests, fast ones first; all of them run, so one go shows everything that is wrong. */
import { spawnSync } from 'node:child_process';

const checks = ['format', 'types', 'lint', 'imports', 'unused', 'packages', 'api', 'size'];
const failed = checks.filter((name) => {
  console.log(`\n── check:${name}`);
  return spawnSync('npm', ['run', '--silent', `check:${name}`], { stdio: 'inherit' }).status !== 0;
});

console.log(failed.length === 0 ? `\nAll ${checks.length} checks passed.` : `\nFailed checks: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
