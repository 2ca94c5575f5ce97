import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Folder } from './program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: Folder;
let empty: Folder;
beforeAll(() => {
  folder = new Folder().write({
    'tool.mjs': 'export default () => 1;\n',
    'holdfast.yaml':
      'tools: [{ id: one, run: { module: ./tool.mjs } }]\nalerts: { interval_ms: 30000, rules: { failure_rate: 0.1, window_ms: 120000 } }\n',
  });
  empty = new Folder();
});
afterAll(() => {
  folder.remove();
  empty.remove();
});

describe.concurrent('rules', () => {
  test('lists the built-in rules without a manifest', async () => {
    const { code, stdout } = await empty.run(['rules']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'ToolFailureRateHigh (critical)\n  more than 5 % of calls are failed calls within 5 minutes, with at least 5 of them',
    );
    expect(stdout).toContain('ToolDown (critical)\n');
    expect(stdout).toContain('CircuitOpen (critical)\n  any circuits that are not closed\n');
  });

  test('prints the rules of the manifest for Prometheus', async () => {
    const { code, stdout } = await folder.run(['rules', '--print', 'prometheus', '--by', 'job']);
    expect(code).toBe(0);
    expect(stdout).toContain('interval: 30s');
    expect(stdout).toContain('tool_job:holdfast_failed_calls:increase2m > 0.1 * tool_job:holdfast_calls:increase2m');
  });

  test('rejects an objective that no tool can violate, and names a possible one', async () => {
    const { code, stderr, stdout } = await folder.run(['rules', '--print', 'prometheus', '--burn-rate', '0.9']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('144 % of the calls');
    expect(stderr).toContain('above 0.9306');
  });

  test('prints a Grafana dashboard and inhibit rules', async () => {
    const [grafana, alertmanager] = await Promise.all([
      empty.run(['rules', '--print', 'grafana']),
      empty.run(['rules', '--print', 'alertmanager']),
    ]);
    expect(JSON.parse(grafana.stdout)).toMatchObject({ title: 'Holdfast', uid: 'holdfast' });
    expect(alertmanager.stdout).toContain(`source_matchers: ['alertname = "CircuitOpen"']`);
  });

  test.each([
    [['--by', 'a b'], 'label names'],
    [['--burn-rate', '2'], 'a fraction between 0 and 1'],
    [['--print', 'nagios'], 'prometheus, alertmanager, grafana'],
  ])('rejects %j', async (options, message) => {
    const { code, stderr } = await empty.run(['rules', ...options]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
