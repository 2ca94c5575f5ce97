import { createMetrics, type MetricFamily } from '@holdfast/core/metrics';
import { describe, expect, it } from 'vitest';
import { metricsText } from '../../src/prometheus/index.ts';
import { checkMetrics } from './check-metrics.ts';

const stamp = { turn_id: 'turn-1', seq: 1, timestamp: '2025-11-05T10:30:45.123Z', elapsed_ms: 0 };
const metrics = createMetrics({ tools: ['search', 'a "b"\\c\nd'] });
metrics.observe({ ...stamp, event_type: 'ToolSucceeded', tool_id: 'search', call_id: 'call "1"', attempt: 1, duration_ms: 5_000 });
metrics.observe({ ...stamp, event_type: 'RetryScheduled', tool_id: 'search', call_id: 'call-1', attempt: 2, delay_ms: 250 });

const row = { help: 'Help with \\ and "quotes"\nand lines.', labels: [], events: [], zeros: [] };
const numbers = (values: readonly number[]): MetricFamily => ({
  ...row,
  name: 'holdfast_odd_seconds_total',
  type: 'counter',
  unit: 'seconds',
  series: values.map((value, index) => ({ labels: { index: String(index) }, value })),
});

describe('text 0.0.4', () => {
  it('passes promtool', async () => {
    expect(await checkMetrics(metricsText(metrics.snapshot()))).toBe('');
  });

  it('is checked by a promtool that finds problems', async () => {
    expect(await checkMetrics('# TYPE holdfast_calls counter\nholdfast_calls 1\n')).toContain('_total');
    expect(await checkMetrics('holdfast_calls{ 1\n')).toContain('exit code');
  });

  it('has at most 110 samples for each further tool, with at most 10 kB', () => {
    const textOf = (quantity: number): string => {
      const tools = Array.from({ length: quantity }, (_, index) => `crm_lookup_${10 + index}`);
      return metricsText(createMetrics({ tools }).snapshot());
    };
    const [few, many] = [textOf(10), textOf(48)];
    expect((many.split('\n').length - few.split('\n').length) / 38).toBeLessThanOrEqual(110);
    expect((many.length - few.length) / 38).toBeLessThanOrEqual(10_000);
  });

  it('can be followed by the text of another registry', async () => {
    const other = '# HELP process_cpu_seconds_total CPU time.\n# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1.5\n';
    expect(await checkMetrics(metricsText(metrics.snapshot()) + other)).toBe('');
  });

  it('has counters under their full name, and neither units nor exemplars', () => {
    const text = metricsText(metrics.snapshot());
    expect(text).toContain('# TYPE holdfast_tool_backoff_seconds_total counter\nholdfast_tool_backoff_seconds_total{tool="search"} 0.25\n');
    expect(text).toContain('holdfast_tool_attempt_duration_seconds_bucket{tool="search",le="5.0"} 1\n');
    expect(text).not.toMatch(/# (UNIT|EOF)|turn_id/);
  });
});

describe('OpenMetrics', () => {
  const text = metricsText(metrics.snapshot(), { openMetrics: true });

  it('names a counter without its suffix, has units, and ends with EOF', () => {
    const head = '# TYPE holdfast_tool_backoff_seconds counter\n# UNIT holdfast_tool_backoff_seconds seconds\n';
    expect(text).toContain(`${head}holdfast_tool_backoff_seconds_total{tool="search"} 0.25\n`);
    expect(text.endsWith('\n# EOF\n')).toBe(true);
    expect(text.match(/# EOF/g)).toHaveLength(1);
  });

  it('has exemplars with their time', () => {
    expect(text).toContain(
      'holdfast_tool_attempt_duration_seconds_bucket{tool="search",le="5.0"} 1 # {turn_id="turn-1",call_id="call \\"1\\""} 5 1762338645.123\n',
    );
  });

  it('has the same samples as the text format', () => {
    const samples = (written: string): readonly string[] =>
      written.split('\n').flatMap((line) => (line.startsWith('#') || line === '' ? [] : [line.replace(/ # \{.*$/, '')]));
    expect(samples(text)).toEqual(samples(metricsText(metrics.snapshot())));
  });

  it('has no EOF if more follows', () => {
    expect(metricsText([numbers([1])], { openMetrics: true, end: false })).not.toContain('EOF');
  });
});

it('escapes special characters', () => {
  expect(metricsText(metrics.snapshot())).toContain(String.raw`{tool="a \"b\"\\c\nd",outcome="success"} 0`);
  expect(metricsText([numbers([1])])).toContain(String.raw`# HELP holdfast_odd_seconds_total Help with \\ and "quotes"\nand lines.`);
  expect(metricsText([numbers([1])], { openMetrics: true })).toContain(String.raw`Help with \\ and \"quotes\"\nand lines.`);
});

it('writes every number as Prometheus reads it', async () => {
  const text = metricsText([numbers([0.1, 1e21, 1e-9, Number.NaN, Infinity, -Infinity])]);
  expect(text.match(/ \S+$/gm)?.slice(-6)).toEqual([' 0.1', ' 1e+21', ' 1e-9', ' NaN', ' +Inf', ' -Inf']);
  expect(await checkMetrics(text)).toBe('');
});

it('leaves out families without series', () => {
  expect(metricsText([numbers([])])).toBe('');
});
