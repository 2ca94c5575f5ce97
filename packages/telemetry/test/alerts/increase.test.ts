/** `increase()`, bit for bit: irregular samples, gaps, restarts, windows that start and end at any time. */
import { increase } from '@holdfast/core/internal';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { promtool } from './promtool.ts';

const STEP_S = 5;
const seed = 20_251_106;

/** Samples every 5 s, some of them missing, with numbers that are not exact in binary. */
const sampled = fc.array(
  fc.option(
    fc.record({
      by: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 0, max: 1_000 }).map((tenths) => tenths / 10),
      ),
      restarts: fc.boolean(),
    }),
    { freq: 6 },
  ),
  { minLength: 40, maxLength: 40 },
);
const windows = fc.array(fc.record({ atS: fc.integer({ min: 1, max: 240 }), windowS: fc.integer({ min: 5, max: 120 }) }), {
  minLength: 12,
  maxLength: 12,
});

test('the engine computes the same increase', async () => {
  const cases = fc
    .sample(fc.tuple(sampled, fc.integer({ min: 0, max: 500 }), windows), { numRuns: 12, seed })
    .map(([changes, first, asked]) => {
      let value = first;
      const values = changes.map((change, index) => {
        if (!change) return undefined;
        value = change.restarts && index % 7 === 0 ? change.by : value + change.by;
        return value;
      });
      const there = values.flatMap((each, index) => (each === undefined ? [] : [{ time: index * STEP_S * 1000, each }]));
      const series = { times: there.map(({ time }) => time), values: there.map(({ each }) => each) };
      return {
        interval: `${STEP_S}s`,
        input_series: [{ series: 'counter', values: values.map((each) => each ?? '_').join(' ') }],
        promql_expr_test: asked.map(({ atS, windowS }) => {
          const grown = increase(series, atS * 1000, windowS * 1000);
          return {
            expr: `increase(counter[${windowS}s])`,
            eval_time: `${atS}s`,
            exp_samples: grown === undefined ? [] : [{ labels: '{}', value: grown }],
          };
        }),
      };
    });
  expect(
    cases.flatMap(({ promql_expr_test }) => promql_expr_test.filter(({ exp_samples }) => exp_samples.length > 0)).length,
  ).toBeGreaterThan(80);
  const said = await promtool({ 'tests.yml': JSON.stringify({ evaluation_interval: '5s', tests: cases }) }, 'test', 'rules', 'tests.yml');
  expect(said.output.slice(0, 2_000)).toContain('SUCCESS');
});
