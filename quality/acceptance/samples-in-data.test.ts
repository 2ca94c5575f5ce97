/** The YAML blocks and records of S0 and S1, typed as a user would. */
import type { AnyTool, ToolResult } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { buildTools, parseManifest, serviceOptions } from '@holdfast/manifest';
import { describe, expect, test } from 'vitest';
import type { Step } from './support/scripted-tool.ts';
import { fails, gaps, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { eventsOf, stage } from './support/stage.ts';

/** A service of a manifest, whose only tool follows a script in place of the program that its `run` names. */
async function serviceOf(yaml: string, steps: readonly Step[]) {
  const { manifest, problems } = parseManifest(yaml, { purpose: 'check', env: {} });
  expect(problems).toEqual([]);
  if (!manifest) throw new Error('no manifest');
  const built = buildTools(manifest);
  const clock = manualSystem();
  const [tool] = built.tools;
  if (!tool) throw new Error('no tool');
  const script = scriptedTool(clock, tool.name, steps);
  const scripted = { ...tool, run: script.tool.run } as AnyTool;
  const { service } = stage(clock, [scripted], serviceOptions(manifest, {}));
  await built.close();
  return { clock, service, script, call: (): Promise<ToolResult> => clock.until(service.executeTool({ toolName: tool.name })) };
}

const run = 'run: { command: { command: node } }';

describe('YAML blocks of S0 and S1, with a line that says what is run', () => {
  test('S0 2.2: retry_policy with all its keys', { tags: ['S0-2.2'] }, async () => {
    const { service, call, script } = await serviceOf(
      `
tool:
  id: flight_search
  ${run}
  retry_policy:
    strategy: exponential_backoff
    initial_delay_ms: 50        # Override default 100ms
    max_delay_ms: 2000          # Override default 800ms
    multiplier: 2.0             # Override default 2.0
    jitter_percent: 15          # Override default 10%
    max_attempts: 3             # Override default 5
    max_total_time_ms: 5000     # Override default 2000ms
`,
      [fails('Connection reset')],
    );
    expect(service.getToolSettings('flight_search')?.retry).toMatchObject({
      strategy: 'exponential_backoff',
      initialDelayMs: 50,
      maxDelayMs: 2_000,
      multiplier: 2,
      jitterPercent: 15,
      maxAttempts: 3,
      maxTotalTimeMs: 5_000,
    });
    expect(await call()).toMatchObject({ status: 'error', attempts: 3, error: { stoppedBy: 'attempts' } });
    for (const [index, gap] of gaps(script.starts).entries()) expect(Math.abs(gap / (50 * 2 ** index) - 1)).toBeLessThanOrEqual(0.15);
  });

  test('S0 3.2: the circuit, whose two successes are a setting', { tags: ['S0-3.2'] }, async () => {
    const { service, call, clock } = await serviceOf(
      `
tool:
  id: flight_search
  ${run}
  circuit_breaker:
    failure_threshold: 5           # Open after 5 consecutive failures
    success_threshold: 2           # Close after 2 consecutive successes
    timeout_ms: 30000              # Wait 30s before trying again
`,
      [...Array.from({ length: 5 }, () => fails('Connection reset')), succeeds()],
    );
    const circuit = (): unknown => service.getToolHealth('flight_search')?.circuit;
    await call();
    expect(circuit()).toBe('open');
    await clock.advance(30_000);
    await call();
    expect(circuit()).toBe('half_open');
    await call();
    expect(circuit()).toBe('closed');
  });

  test('S0 4.1: a tool with 30 s', { tags: ['S0-4.1'] }, async () => {
    const { clock, service, script } = await serviceOf(
      `{ tool: { id: flight_search, ${run}, timeout_ms: 30000, retry_policy: { max_attempts: 1 } } }`,
      [hangs],
    );
    const pending = service.executeTool({ toolName: 'flight_search' });
    await clock.advance(29_999);
    expect(script.aborts).toEqual([]);
    await clock.advance(1);
    expect(await pending).toMatchObject({ status: 'timeout', error: { message: 'Tool timeout after 30s', classification: 'transient' } });
  });

  test('S0 4.2 and 4.3: a turn of 300 s with a tool of 30 s', { tags: ['S0-4.3'] }, async () => {
    const { clock, service, script } = await serviceOf(
      `
turn:
  timeout_ms: 300000
tools:
  - id: flight_search
    ${run}
    timeout_ms: 30000
    circuit_breaker: false
    retry_policy: { max_attempts: 99, max_total_time_ms: none }
`,
      [hangs],
    );
    const { outcome, executionTime } = await clock.until(service.executeTurn({ calls: [{ toolName: 'flight_search' }] }));
    expect([outcome, executionTime]).toEqual(['deadline', 300_000]);
    expect(script.starts).toHaveLength(10);
  });

  test('S1 1.5: "treat 503 as permanent"', { tags: ['S1-1.5'] }, async () => {
    const { call, script } = await serviceOf(
      `
tool:
  id: custom_api
  ${run}
  classification:
    - { status: 503, as: permanent }
`,
      [fails('Service unavailable (503)')],
    );
    expect(await call()).toMatchObject({ status: 'error', error: { classification: 'permanent', retryable: false } });
    expect(script.starts).toHaveLength(1);
  });

  test('S1 2.5: three keys of the retry policy', { tags: ['S1-2.5'] }, async () => {
    const { call, script } = await serviceOf(
      `
tool:
  id: custom_api
  ${run}
  retry_policy:
    initial_delay_ms: 50
    max_delay_ms: 2000
    max_attempts: 3
`,
      [fails('Connection reset')],
    );
    expect(await call()).toMatchObject({ attempts: 3 });
    for (const [index, gap] of gaps(script.starts).entries()) expect(Math.abs(gap / (50 * 2 ** index) - 1)).toBeLessThanOrEqual(0.1);
  });
});

describe('records of S0 and S1', () => {
  test(
    'S0 8.2 and S1 4.4: the entries of a turn have all keys of the samples, with values of their types',
    { tags: ['S0-8.2', 'S1-4.4'] },
    async () => {
      const clock = manualSystem({ epochMs: Date.parse('2025-11-05T10:30:15Z') });
      const tool = scriptedTool(clock, 'flight_search', [hangs, succeeds()], { timeoutMs: 30_000 });
      const { service } = stage(clock, [tool]);
      const { trace } = await clock.until(service.executeTurn({ calls: [{ toolName: 'flight_search' }] }));
      expect(eventsOf(trace, 'ToolTimeout')[0]).toMatchObject({
        event_type: 'ToolTimeout',
        tool_id: 'flight_search',
        timeout_ms: 30000,
        timestamp: '2025-11-05T10:30:45.000Z',
      });
      expect(eventsOf(trace, 'ToolError')[0]).toMatchObject({
        event_type: 'ToolError',
        tool_id: 'flight_search',
        error: 'Tool timeout after 30s',
        classification: 'transient',
        circuit_breaker_state: 'closed',
        retry_count: 0,
        decision: 'retry',
        timestamp: '2025-11-05T10:30:45.000Z',
      });
    },
  );
});
