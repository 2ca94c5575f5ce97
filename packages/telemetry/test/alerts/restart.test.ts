/** An engine that is saved and restored gives the same results as one that runs continuously. */
import { createAlertEngine, defaultAlertRules, type AlertEngine, type SavedAlerts } from '@holdfast/core/alerts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampledWorld, STEP_MS, type SampledSeries } from './sampled-world.ts';

const STEPS = 30;
const rules = defaultAlertRules({ windowMs: 120_000, minimumCalls: 10 });

test('at any time, through JSON', () => {
  fc.assert(
    fc.property(sampledWorld(STEPS), fc.array(fc.integer({ min: 1, max: STEPS - 1 }), { maxLength: 4 }), (world, restarts) => {
      let step = 0;
      const samples = (name: string): { name: string; labels: SampledSeries['labels']; value: number }[] =>
        world.flatMap((series) => {
          const value = series.values[step];
          return series.name === name && value !== undefined ? [{ name, labels: series.labels, value }] : [];
        });
      const make = (): AlertEngine => createAlertEngine({ rules, metrics: { samples } });
      const through = make();
      let restarted = make();
      for (; step < STEPS; step++) {
        if (restarts.includes(step)) {
          const saved = JSON.parse(JSON.stringify(restarted.save())) as SavedAlerts;
          restarted = make();
          restarted.restore(saved);
        }
        const changes = [through, restarted].map((engine) => engine.evaluate(step * STEP_MS));
        expect(changes[1]).toEqual(changes[0]);
        expect(restarted.alerts()).toEqual(through.alerts());
      }
    }),
    { numRuns: 20, seed: 20_251_107 },
  );
});
