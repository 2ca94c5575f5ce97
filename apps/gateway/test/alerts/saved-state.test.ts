/** Which process owns the saved state of alerts, and saving it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { createScene } from './scene.ts';

const minute = 60_000;

test.runIf(process.platform === 'linux')(
  'the saved state is restored when the pid of the previous process was reused, or the killed process is still listed',
  async () => {
    // Has a zombie child.
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [text] = (await once(parent.stdout, 'data')) as readonly unknown[];
    const startOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? '';
    const { records } = createScene();
    const takes = (owner: string): boolean => {
      records.saveState('owner', owner, 0);
      createScene({ records });
      return records.state('owner') !== owner;
    };
    const killed = Number(String(text));
    await vi.waitUntil(() => readFileSync(`/proc/${killed}/stat`, 'utf8').includes(') Z '));
    const living = parent.pid ?? 0;
    expect([takes(`${living} ${startOf(living)}`), takes(`${living} 1`), takes(`${killed} ${startOf(killed)}`)]).toEqual([
      false,
      true,
      true,
    ]);
    parent.kill();
  },
);

test('saving the state is retried when the file could not be written', async () => {
  const { records: kept } = createScene();
  let isLocked = false;
  const saveState: typeof kept.saveState = (...state) => {
    if (isLocked) throw new Error('database is locked');
    kept.saveState(...state);
  };
  const first = createScene({ records: { ...kept, saveState } });
  isLocked = true;
  first.alerts.silence({ matchers: [{ name: 'tool', value: 'b' }], duration_ms: minute, comment: 'x' }, { by: 'ops' });
  await first.system.advance(1_000);
  isLocked = false;
  await first.system.advance(15_000);
  expect(createScene({ records: kept, system: first.system }).alerts.list().silences).toHaveLength(1);
});
