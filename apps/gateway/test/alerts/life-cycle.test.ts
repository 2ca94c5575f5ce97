/** Alerting as a part of the gateway: its listeners, and what is left after it is closed. */
import { expect, test } from 'vitest';
import { createScene } from './scene.ts';

const minute = 60_000;

test('listeners are notified of changes until they unsubscribe', async () => {
  const scene = createScene();
  let reported = 0;
  const stop = scene.alerts.subscribe(() => (reported += 1));
  await scene.call(3);
  await scene.system.settle();
  expect(reported).toBeGreaterThan(0);
  stop();
  const before = reported;
  scene.set('works');
  await scene.system.advance(31_000);
  await scene.call();
  expect(reported).toBe(before);
});

test('nothing runs after close', async () => {
  const scene = createScene();
  await scene.call(3);
  await scene.alerts.close(0);
  expect(scene.system.pendingTimers).toBe(0);
  await scene.system.advance(10 * minute);
  expect(scene.posts).toEqual([]);
});
