/** Every key of S0 and S2 in a manifest, with a value that is no default: the service and its turns have exactly these settings, and nothing else has changed. */
import { profiles, ToolExecutionService, type TraceEvent } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { buildTools, parseManifest, serviceOptions } from '@holdfast/manifest';
import { expect, test } from 'vitest';
import { eventsOf } from './support/stage.ts';

const run = 'run: { module: flight-search.mjs }';

/** A service of a manifest, whose tools do nothing, and the events of a turn that calls them all. */
async function serviceOf(yaml: string) {
  const { manifest, problems } = parseManifest(yaml, { env: {} });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  if (!manifest) throw new Error('no manifest');
  const built = buildTools(manifest);
  const tools = built.tools.map((tool) => ({ ...tool, run: () => 'done' }));
  const system = manualSystem();
  const service = new ToolExecutionService({ ...serviceOptions(manifest, {}), tools, system });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  await system.until(service.executeTurn({ calls: tools.map(({ name }) => ({ toolName: name })) }));
  await built.close();
  return { service, tools, turn: eventsOf(events, 'TurnStarted')[0] };
}

const retry = {
  strategy: 'linear_backoff',
  initialDelayMs: 51,
  maxDelayMs: 2_001,
  multiplier: 3,
  stepMs: 52,
  jitter: 'equal',
  jitterPercent: 15,
  maxAttempts: 3,
  maxTotalTimeMs: 5_001,
} as const;
const breaker = {
  count: 'call',
  failureThreshold: 6,
  successThreshold: 2,
  openMs: 31_000,
  probeLeaseMs: 61_000,
  permanentProbeLimit: 4,
} as const;

const policy = (indent: string): string =>
  `
retry_policy:
  strategy: linear_backoff
  initial_delay_ms: 51
  max_delay_ms: 2001
  multiplier: 3
  step_ms: 52
  jitter: equal
  jitter_percent: 15
  max_attempts: 3
  max_total_time_ms: 5001
circuit_breaker:
  failure_threshold: 6
  success_threshold: 2
  open_ms: 31000
  count: call
  probe_lease_ms: 61000
  permanent_probe_limit: 4
timeout_ms: 31001
accept_partial: true
effect: read`.replaceAll('\n', `\n${indent}`);

test('of one tool, and the others keep the defaults', { tags: ['S0-2.2', 'S0-3.2', 'S0-4.1', 'S1-2.5', 'S2-policy'] }, async () => {
  const { service, tools } = await serviceOf(`
tools:
  - id: flight_search
    ${run}
    alternatives: [flight_backup]
    fallback: none found
    classification: [{ status: [502, 503], as: permanent }, { code: EBUSY, name: Busy, message: wait, category: unavailable, as: transient }]
    validation_retries: { max_attempts: 4, emit_feedback: false, time_budget_seconds: 7 }${policy('    ')}
  - id: flight_backup
    ${run}
`);
  const { tool } = profiles.spec;
  expect(service.getToolSettings('flight_search')).toEqual({
    ...tool,
    retry,
    breaker,
    timeoutMs: 31_001,
    acceptPartial: true,
    effect: 'read',
    alternatives: ['flight_backup'],
    fallback: { value: 'none found' },
  });
  expect(service.getToolSettings('flight_backup')).toEqual(tool);
  expect(tools[0]?.classification).toEqual([
    { status: [502, 503], as: 'permanent' },
    { code: 'EBUSY', name: 'Busy', message: 'wait', category: 'unavailable', as: 'transient' },
  ]);
  expect(tools[0]?.validationRetries).toEqual({ maxAttempts: 4, emitFeedback: false, timeBudgetSeconds: 7 });
  expect(tools[1]?.validationRetries).toBeUndefined();
});

test('of all tools, of turns and rules, and the profile', { tags: ['S0-2.2', 'S0-4.2', 'S0-6.2', 'S4-flow'] }, async () => {
  const { service, turn } = await serviceOf(`
profile: service
seed: abc
defaults:${policy('  ')}
turn: { timeout_ms: 299000, concurrency: 7, on_deadline: abort, max_retries: 9 }
recovery_rules:
  - { name: careful, when: { tool: flight_search, category: [timeout], classification: transient, effect: read, turn: t }, deny: retry, reason: why }
  - { name: hopeful, allow: [use_alternative, use_default], prefer: use_default }
tools:
  - { id: flight_search, ${run}, timeout_ms: 5 }
`);
  const defaults = { ...profiles.service.tool, retry, breaker, acceptPartial: true, effect: 'read' };
  expect(service.getToolSettings('flight_search')).toEqual({ ...defaults, timeoutMs: 5 });
  expect(turn).toMatchObject({
    seed: 'abc',
    profile: 'service',
    timeout_ms: 299_000,
    concurrency: 7,
    on_deadline: 'abort',
    max_retries: 9,
    base: { ...defaults, timeoutMs: 31_001 },
    recovery_rules: [
      {
        name: 'careful',
        when: { tool: ['flight_search'], category: ['timeout'], classification: ['transient'], effect: ['read'], turn: ['t'] },
        deny: ['retry'],
        reason: 'why',
      },
      { name: 'hopeful', allow: ['use_alternative', 'use_default'], prefer: 'use_default' },
    ],
  });
});

test.each([
  ['spec', 5, 'attempt', 30_000],
  ['service', 4, 'call', 60_000],
] as const)(
  'a manifest that says nothing has the numbers of profile %s',
  { tags: ['S0-2.1', 'S0-3.2', 'S0-4.2', 'S4-circuit'] },
  async (profile, maxAttempts, count, openMs) => {
    const { service, turn } = await serviceOf(`profile: ${profile}\ntools: [{ id: flight_search, ${run} }]\n`);
    expect(service.getToolSettings('flight_search')).toEqual({
      timeoutMs: 30_000,
      idleTimeoutMs: undefined,
      abandonMs: 60_000,
      retry: {
        strategy: 'exponential_backoff',
        initialDelayMs: 100,
        maxDelayMs: 800,
        multiplier: 2,
        stepMs: 100,
        jitter: 'proportional',
        jitterPercent: 10,
        maxAttempts,
        maxTotalTimeMs: 2_000,
      },
      breaker: { count, failureThreshold: 5, successThreshold: 1, openMs, probeLeaseMs: 60_000, permanentProbeLimit: 3 },
      concurrency: false,
      rateLimit: false,
      retryBudget: false,
      hedge: false,
      effect: undefined,
      alternatives: [],
      acceptPartial: false,
      fallback: undefined,
      maxOutputChars: 10 * 1024 * 1024,
    });
    expect(turn).toMatchObject({ timeout_ms: 300_000, concurrency: 16, on_deadline: 'detach', max_retries: null });
  },
);
