/** Random small worlds, for property tests. */
import fc from 'fast-check';
import type { AgentGroup, Distribution, WorldFault, WorldFaultKind, World } from '../../src/index.ts';

const latency: fc.Arbitrary<Distribution> = fc.oneof(
  fc.record({ kind: fc.constant('constant' as const), ms: fc.integer({ min: 0, max: 500 }) }),
  fc.record({ kind: fc.constant('lognormal' as const), meanMs: fc.constant(100), p99Ms: fc.integer({ min: 150, max: 900 }) }),
);

const share = fc.double({ min: 0, max: 1, noNaN: true });

const kind: fc.Arbitrary<WorldFaultKind> = fc.oneof(
  fc.record({ kind: fc.constant('outage' as const), retryAfterS: fc.constantFrom('none' as const, 0, 1, 3_600) }),
  fc.constant({ kind: 'black_hole' as const }),
  fc.record({ kind: fc.constantFrom('random_failures' as const, 'lost_answers' as const, 'permanent' as const), share }),
  fc.record({ kind: fc.constant('permanent' as const), share, group: fc.constant(0), status: fc.constantFrom(400, 500) }),
  fc.record({ kind: fc.constant('brownout' as const), capacity: share }),
  fc.record({ kind: fc.constant('slow' as const), factor: fc.integer({ min: 1, max: 20 }) }),
  fc.record({
    kind: fc.constant('slow' as const),
    factor: fc.integer({ min: 1, max: 50 }),
    share,
    periodMs: fc.constant(2_000),
    grows: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('token_bucket' as const),
    ratePerSecond: fc.integer({ min: 1, max: 20 }),
    burst: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ kind: fc.constant('rate_limit' as const), limit: fc.integer({ min: 1, max: 20 }), windowMs: fc.constant(2_000) }),
  fc.constant({ kind: 'flapping' as const, downMs: [100, 900] as const, upMs: [100, 900] as const }),
  fc.record({
    kind: fc.constant('bad_replica' as const),
    replica: fc.constant(0),
    how: fc.constantFrom('errors' as const, 'black_hole' as const, 'slow' as const, 'gone' as const),
  }),
);

const fault: fc.Arbitrary<WorldFault> = fc
  .tuple(
    kind,
    fc.constantFrom('one', 'two'),
    fc.integer({ min: 0, max: 8_000 }),
    fc.integer({ min: 100, max: 6_000 }),
    fc.constantFrom(0, 3_000),
    fc.constantFrom({}, { recoverSteps: 2 }, { coldCache: { factor: 4, requests: 20 } }),
  )
  .map(([what, service, fromMs, forMs, recoverOverMs, aftermath]) => ({
    ...what,
    ...aftermath,
    service,
    fromMs,
    forMs: [forMs, forMs * 2] as const,
    recoverOverMs,
  }));

const group: fc.Arbitrary<AgentGroup> = fc.record({
  count: fc.integer({ min: 1, max: 5 }),
  arrivals: fc.oneof(
    fc.record({ kind: fc.constant('open' as const), ratePerSecond: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ kind: fc.constant('closed' as const), think: latency }).filter(({ think }) => think.kind === 'lognormal'),
  ),
  turn: fc.constantFrom(
    [{ toolName: 'a' }],
    [{ toolName: 'b' }],
    [{ toolName: 'a' }, { toolName: 'b', dependsOn: ['a'] }, { toolName: 'c', optional: true }],
    [
      { toolName: 'a', callId: 'first' },
      { toolName: 'a', callId: 'second', critical: true },
      { toolName: 'c', dependsOn: ['first', 'second'] },
    ],
  ),
  deadlineMs: fc.integer({ min: 500, max: 20_000 }),
});

/** Ten seconds of a few agents, three tools on two services, and up to three faults. */
export const smallWorld: fc.Arbitrary<World> = fc.record({
  name: fc.constant('small'),
  durationMs: fc.constant(10_000),
  processes: fc.constantFrom(1, 3),
  agents: fc.array(group, { minLength: 1, maxLength: 3 }),
  services: fc.record({
    one: fc.record({
      servers: fc.integer({ min: 1, max: 5 }),
      queue: fc.integer({ min: 0, max: 30 }),
      latency,
      replicas: fc.constantFrom(1, 2),
    }),
    two: fc.record({ servers: fc.integer({ min: 1, max: 5 }), latency }),
  }),
  tools: fc.record({
    a: fc.record({
      service: fc.constant('one'),
      effect: fc.constantFrom('read' as const, 'unsafe' as const),
      timeoutMs: fc.constantFrom(200, 2_000, Infinity),
    }),
    b: fc.constant({ service: 'two', alternatives: ['a'], timeoutMs: 1_000 }),
    c: fc.constant({ service: 'two', effect: 'idempotent' as const, timeoutMs: 1_000 }),
  }),
  faults: fc.array(fault, { maxLength: 3 }),
});
