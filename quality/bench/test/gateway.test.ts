import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stands, startLeanHttp } from '../src/gateway/stands.ts';
import { pageOf } from '../src/report/readme.ts';

test('the lean server answers over each of its transports, and the client finds what is wrong', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const { url, child } = await startLeanHttp(folder);
  const direct = stands.find(({ name }) => name === 'direct');
  for (const route of direct?.routes ?? []) {
    const standing = await direct?.start(route, { folder, leanUrl: url, sources: true });
    await standing?.speaker.echo();
    expect(standing?.residentMb()).toBeUndefined();
    await standing?.stop();
  }
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

test('stands have names of their own, and each stands somewhere', () => {
  expect(new Set(stands.map(({ name }) => name)).size).toBe(stands.length);
  for (const { routes } of stands) expect(routes.length).toBeGreaterThan(0);
});

test('a page of one case says what was wanted, what was done and what came out', () => {
  const page = pageOf(
    {
      name: 'gateway',
      title: 'What a gateway costs',
      what: 'What was done.',
      tables: [{ title: 'A way', columns: ['', 'p50'], rows: [['direct', '1 ms']] }],
      targets: [{ wanted: '≤ 1 ms', seen: '2 ms', met: false }],
      notes: ['A note.'],
      figures: {},
    },
    { node: 'v24.0.0', processor: 'one', cores: 2, memoryGb: 8, system: 'linux x64', date: '2026-01-02' },
  );
  expect(page).toMatch(/^# What a gateway costs\n/);
  expect(page).toContain('**not met**');
  expect(page).toContain('What was done.');
  expect(page).toContain('| direct | 1 ms |');
  expect(page).toContain('A note.');
});
