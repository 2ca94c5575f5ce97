import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isAlive, until } from '../support/processes.ts';

const host = fileURLToPath(new URL('../fixtures/host.ts', import.meta.url));

it('ends the processes of a host that was killed with SIGKILL', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'holdfast-')), 'ids');
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', host, file], { stdio: ['ignore', 'inherit', 'inherit'] });
  let ids: readonly number[] = [];
  await until('the family has started', () => {
    try {
      ids = readFileSync(file, 'utf8').trim().split('\n').map(Number);
    } catch {
      return false;
    }
    return ids.length === 3;
  });
  child.kill('SIGKILL');
  await until('the family has ended', () => ids.every((id) => !isAlive(id)));
  expect(ids.filter(isAlive)).toEqual([]);
});
