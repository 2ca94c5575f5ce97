/** The engine and Prometheus give the same results for the same samples, at every evaluation. */
import { createAlertEngine, defaultAlertRules, type Alert, type AlertRule } from '@holdfast/core/alerts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alertExpression } from '../../src/alerts/rules/expression.ts';
import { printRules } from '../../src/alerts/rules/print-rules.ts';
import { prometheusRules } from '../../src/alerts/rules/rule-file.ts';
import type { RuleFile } from '../../src/alerts/rules/rule-group.ts';
import { promtool } from './promtool.ts';
import { inputSeries, sampledWorld, STEP_MS, type SampledSeries } from './sampled-world.ts';

const STEPS = 60;
const WORLDS = 5;
const worlds = fc.sample(sampledWorld(STEPS), { numRuns: WORLDS, seed: 20_251_105 });

/** The firing alerts at each evaluation. */
function evaluated(rules: readonly AlertRule[], world: readonly SampledSeries[]): readonly (readonly Alert[])[] {
  let index = 0;
  const samples = (name: string): { readonly name: string; readonly labels: SampledSeries['labels']; readonly value: number }[] =>
    world.flatMap((series) => {
      const value = series.values[index];
      return series.name === name && value !== undefined ? [{ name, labels: series.labels, value }] : [];
    });
  // Prometheus cannot know that a new series was 0 before.
  const engine = createAlertEngine({ rules, metrics: { samples }, seriesBeginAtZero: false });
  return Array.from({ length: STEPS }, (_, step) => {
    index = step;
    engine.evaluate(step * STEP_MS);
    return engine.active();
  });
}

/** Removes the annotations: they are texts, and worded differently. */
function bare({ groups }: RuleFile): RuleFile {
  return {
    groups: groups.map((group) => ({
      ...group,
      rules: group.rules.map((rule) => ('alert' in rule ? { ...rule, annotations: {} } : rule)),
    })),
  };
}

const withoutName = (labels: Alert['labels']): object =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => name !== 'alertname'));

function testOf(rules: readonly AlertRule[], world: readonly SampledSeries[], firing: readonly (readonly Alert[])[]): object {
  return {
    interval: `${STEP_MS / 1000}s`,
    input_series: world.map(inputSeries),
    alert_rule_test: firing.flatMap((alerts, step) =>
      rules.map(({ name }) => ({
        eval_time: `${(step * STEP_MS) / 1000}s`,
        alertname: name,
        exp_alerts: alerts
          .filter((alert) => alert.name === name)
          .map(({ labels }) => ({ exp_labels: withoutName(labels), exp_annotations: {} })),
      })),
    ),
  };
}

const short = { windowMs: 120_000, minimumCalls: 10 };
const sets: readonly (readonly [string, readonly AlertRule[]])[] = [
  ['by default', defaultAlertRules()],
  ['with short windows', defaultAlertRules(short)],
  ['strict', defaultAlertRules({ strict: true, windowMs: 120_000 })],
];

describe.each(sets)('the rules %s', (_name, rules) => {
  const histories = worlds.map((world) => evaluated(rules, world));

  test('fire at the same times in Prometheus', async () => {
    const tests = {
      rule_files: ['rules.yml'],
      evaluation_interval: `${STEP_MS / 1000}s`,
      tests: worlds.map((world, index) => testOf(rules, world, histories[index] ?? [])),
    };
    const said = await promtool(
      { 'rules.yml': printRules(bare(prometheusRules(rules))), 'tests.yml': JSON.stringify(tests) },
      'test',
      'rules',
      'tests.yml',
    );
    expect(said.output.slice(0, 4_000)).toContain('SUCCESS');
    expect(said.code).toBe(0);
  });

  test('fire in these worlds at all, and end', () => {
    const changes = new Map<string, number>();
    for (const history of histories) {
      let before = new Set<string>();
      for (const alerts of history) {
        const now = new Set(alerts.map(({ name, fingerprint }) => `${name} ${fingerprint}`));
        for (const each of new Set([...before, ...now])) {
          const name = each.split(' ')[0] ?? '';
          if (before.has(each) !== now.has(each)) changes.set(name, (changes.get(name) ?? 0) + 1);
        }
        before = now;
      }
    }
    const often = [
      'ToolFailureRateHigh',
      'ToolExecutionTimeHigh',
      'CircuitOpen',
      'ResponseInvalid',
      'RetryBudgetExhausted',
      'TurnDeadlineMissed',
    ];
    for (const name of often) expect(changes.get(name) ?? 0, name).toBeGreaterThan(2);
  });
});

test('a self-contained expression equals the one with recorded series', async () => {
  const rules = defaultAlertRules(short);
  const alone = rules.map((rule) => ({ name: rule.name, expr: alertExpression(rule), file: prometheusRules([rule]) }));
  const groups = alone.map(({ name, expr, file: { groups: all } }) => ({
    name,
    rules: all.flatMap((group) => group.rules.flatMap((rule) => ('alert' in rule ? [{ ...rule, expr }] : []))),
  }));
  const [world = []] = worlds;
  const tests = { rule_files: ['rules.yml'], evaluation_interval: '15s', tests: [testOf(rules, world, evaluated(rules, world))] };
  const said = await promtool(
    { 'rules.yml': printRules(bare({ groups })), 'tests.yml': JSON.stringify(tests) },
    'test',
    'rules',
    'tests.yml',
  );
  expect(said.output.slice(0, 4_000)).toContain('SUCCESS');
});

describe('the printed file', () => {
  const file = prometheusRules(defaultAlertRules(), { by: ['job'], burnRate: { objective: 0.95 } });

  test('is valid for Prometheus, including its templates', async () => {
    const said = await promtool({ 'rules.yml': printRules(file) }, 'check', 'rules', 'rules.yml');
    expect(said.output).toMatch(/SUCCESS: \d+ rules found/);
  });

  test('is valid for any texts and values', async () => {
    const odd = [`it's "so": {x} # no`, 'two\nlines', '- a', 'yes', '', '5', 'ä \u2028 😀', '\u0085 \ufeff \u0001', 'back\\slash'];
    const rules = odd.map((text, index): AlertRule => ({
      name: `Odd${index}`,
      severity: 'info',
      by: [],
      condition: { kind: 'value', of: { metric: 'm', labels: { one: text, any: [text, 'a.b|c'] }, what: text }, above: 0 },
      labels: { text },
      summary: text,
      description: text,
    }));
    const said = await promtool({ 'rules.yml': printRules(prometheusRules(rules)) }, 'check', 'rules', 'rules.yml');
    expect(said.output).toContain(`SUCCESS: ${odd.length} rules found`);
  });

  test('has the numbers in its annotations', async () => {
    const samples = (outcome: string, values: string): object => ({
      series: `holdfast_tool_calls_total{tool="search",outcome="${outcome}"}`,
      values,
    });
    const limit = {
      limit: '5 %',
      condition:
        'more than 5 % of calls are failed calls within 5 minutes, with at least 5 of them and 95 % confidence, for 30 seconds; ends at 3 %',
    };
    const tests = {
      rule_files: ['rules.yml'],
      evaluation_interval: '15s',
      tests: [
        {
          interval: '15s',
          input_series: [samples('success', '0 17x10'), samples('error', '0 3x10')],
          alert_rule_test: [
            {
              eval_time: '60s',
              alertname: 'ToolFailureRateHigh',
              exp_alerts: [
                {
                  exp_labels: { severity: 'critical', tool: 'search' },
                  exp_annotations: {
                    summary: 'Calls of search fail',
                    description: 'Failed calls of search: 3 of 20 (15%). The limit is 5 %.',
                    ...limit,
                  },
                },
              ],
            },
          ],
        },
      ],
    };
    const said = await promtool(
      { 'rules.yml': printRules(prometheusRules(defaultAlertRules())), 'tests.yml': JSON.stringify(tests) },
      'test',
      'rules',
      'tests.yml',
    );
    expect(said.output).toContain('SUCCESS');
  });
});
