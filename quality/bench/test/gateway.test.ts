import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gateways, startLeanHttp } from '../src/gateway/gateways.ts';
import { pageOf } from '../src/report/readme.ts';

test('the minimal server answers over each of its transports, and the client rejects wrong answers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const { url, child } = await startLeanHttp(folder);
  const direct = gateways.find(({ name }) => name === 'direct');
  for (const route of direct?.routes ?? []) {
    const running = await direct?.start(route, { folder, leanUrl: url, sources: true });
    await running?.client.echo();
    expect(running?.residentMb()).toBeUndefined();
    await running?.stop();
  }
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

test('gateways have unique names and at least one route', () => {
  expect(new Set(gateways.map(({ name }) => name)).size).toBe(gateways.length);
  for (const { routes } of gateways) expect(routes.length).toBeGreaterThan(0);
});

test('the page of a case contains targets, method and results', () => {
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
