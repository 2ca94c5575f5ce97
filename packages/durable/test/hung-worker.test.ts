import { ref } from '@holdfast/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFleet, type Fleet } from './support/fleet.ts';
import { outputsOf } from './support/plans.ts';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet({ keepAliveMs: 1000 });
});

afterAll(() => fleet.stop());

test('a worker that hangs: its turn continues elsewhere, and the worker changes nothing when it resumes', async () => {
  const first = await fleet.one();
  const gate = fleet.gate('stopped');
  const turn = fleet.client.run({
    turnId: 'stopped',
    calls: [
      { callId: 'A', toolName: 'work' },
      { callId: 'B', toolName: 'work', arguments: { until: gate.path, a: ref('A') } },
      { callId: 'C', toolName: 'work', arguments: { b: ref('B') } },
    ],
  });
  await fleet.seen(({ turnId, callId }) => turnId === 'stopped' && callId === 'B', 'B has begun');
  first.signal('SIGSTOP');
  fleet.hide(first);
  gate.open();
  const second = await fleet.start();
  const result = await turn;
  first.signal('SIGCONT');
  expect(outputsOf(result)).toEqual({ A: { by: 'A' }, B: { by: 'B' }, C: { by: 'C' } });
  await fleet.seen(
    ({ turnId, callId, phase, pid }) => turnId === 'stopped' && callId === 'B' && phase === 'end' && pid === first.pid,
    'the first woke',
  );
  expect(fleet.toolLog().filter(({ turnId, callId, phase }) => turnId === 'stopped' && callId === 'C' && phase === 'begin')).toMatchObject([
    { pid: second.pid },
  ]);
  expect(await fleet.client.peek('stopped')).toEqual(result);
});
