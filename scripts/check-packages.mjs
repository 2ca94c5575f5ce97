/** Each published package is well formed for those who install it: publint, and "are the types wrong". */
import { spawnSync } from 'node:child_process';
import { publishedPackages } from './published-packages.mjs';

const failures = [];
const run = (label, command, parameters) => {
  const { status, stdout, stderr } = spawnSync(command, parameters, { encoding: 'utf8' });
  if (status === 0) return;
  failures.push(label);
  console.error(`${label}\n${stdout}${stderr}`);
};

for (const { folder, name } of publishedPackages()) {
  run(`publint: ${name}`, 'publint', ['--strict', folder]);
  run(`attw: ${name}`, 'attw', ['--pack', folder, '--profile', 'esm-only', '--no-emoji', '--no-color']);
}

console.log(failures.length === 0 ? 'Packages are well formed.' : `Badly formed: ${failures.join(', ')}`);
process.exit(failures.length === 0 ? 0 : 1);
