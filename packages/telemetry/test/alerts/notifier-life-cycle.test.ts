/** A notifier over time: a restart, closing, changing receivers, clocks that are set. The clock is manual. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FiringAlert } from '../../src/alerts/index.ts';
import { firing } from './notices.ts';
import { createScene, minute } from './notifier-scene.ts';

test('what receivers were notified of survives a restart', async () => {
  const first = createScene();
  first.notifier.update([firing('A'), firing('B')]);
  await first.system.advance(minute);
  const saved: unknown = JSON.parse(JSON.stringify(first.notifier.save()));
  await first.notifier.close(0);
  const second = createScene({ system: first.system });
  second.notifier.restore(saved as never);
  second.notifier.update([firing('B')]);
  await second.system.advance(minute);
  expect(second.sentAlerts()).toEqual(['A resolved']);
});

test('close waits for running deliveries up to the limit; nothing runs after it', async () => {
  const { system, notifier, reports, sent } = createScene({}, () => new Promise(() => undefined));
  notifier.update([firing('A')]);
  await system.advance(1_000);
  const began = system.now();
  await system.until(notifier.close(5_000));
  expect(system.now() - began).toBe(5_000);
  expect(reports.at(-1)).toMatchObject({ status: 'failed', code: 'CANCELLED' });
  notifier.update([firing('B')]);
  await system.advance(60 * minute);
  expect(sent).toHaveLength(1);
  expect(system.pendingTimers).toBe(0);
});

test('for any alerts and failures of receivers, the receivers finally know what is firing', async () => {
  const names = ['A', 'B', 'C'];
  const step = fc.record({
    firing: fc.subarray(names),
    muted: fc.subarray(names),
    isDead: fc.boolean(),
    waitMs: fc.integer({ min: 1, max: 20 * minute }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.subarray(names), async (steps, last) => {
      let isDead = false;
      const known = new Map<string, string>();
      const { system, notifier } = createScene({}, ({ body }) => {
        if (isDead) return new Response('', { status: 503 });
        const { alerts } = JSON.parse(body) as { alerts: { status: string; labels: { alertname: string } }[] };
        for (const { status, labels } of alerts) known.set(labels.alertname, status);
        return new Response();
      });
      const begun = new Map<string, number>();
      const alertsOf = (active: readonly string[], muted: readonly string[]): readonly FiringAlert[] => {
        for (const name of names) if (!active.includes(name)) begun.delete(name);
        return active.map((name) => {
          const startsAt = begun.get(name) ?? system.epochMs();
          begun.set(name, startsAt);
          return firing(name, { startsAt, isMuted: muted.includes(name) });
        });
      };
      for (const { firing: active, muted, isDead: dead, waitMs } of steps) {
        isDead = dead;
        notifier.update(alertsOf(active, muted));
        await system.advance(waitMs);
      }
      isDead = false;
      notifier.update(alertsOf(last, []));
      await system.advance(30 * minute);
      expect(names.filter((name) => known.get(name) === 'firing')).toEqual(names.filter((name) => last.includes(name)));
      await notifier.close(0);
    }),
    { numRuns: 40 },
  );
});

test('a clock that is set back prevents no notification', async () => {
  let isDead = true;
  const { system, notifier, sentAlerts } = createScene({}, () => new Response('', { status: isDead ? 400 : 200 }));
  notifier.update([firing('A')]);
  await system.advance(5_000);
  isDead = false;
  system.stepWallClock(-24 * 60 * minute);
  notifier.update([firing('A')]);
  await system.advance(61 * minute);
  expect(sentAlerts()).toEqual(['A firing', 'A firing']);
  system.stepWallClock(-24 * 60 * minute);
  notifier.update([firing('A')]);
  await system.advance(241 * minute);
  expect(sentAlerts()).toHaveLength(3);
});
