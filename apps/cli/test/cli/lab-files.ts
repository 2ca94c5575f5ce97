/** A world, policies, and tools with a turn that calls them, for the tests of simulate, whatif and tune. */
export const world: string = `
description: Down for five seconds
duration_ms: 20000
agents: [{ count: 5, arrivals: { kind: open, rate_per_second: 20 }, turn: [{ tool_id: search }], deadline_ms: 10000 }]
tools: { search: { service: index } }
services: { index: { servers: 10, latency: { kind: lognormal, mean_ms: 50, p99_ms: 140 } } }
faults: [{ kind: outage, service: index, from_ms: 5000, for_ms: 5000 }]
`;

export const files: Readonly<Record<string, string>> = {
  'world.yaml': world,
  'a.yaml': 'profile: spec\ndefaults: { circuit_breaker: false, retry_policy: { max_attempts: 2 } }\n',
  'b.yaml': 'defaults: { retry_policy: { max_attempts: 4, initial_delay_ms: 5 } }\n',
  'holdfast.yaml': `
# our tools
defaults: { retry_policy: { initial_delay_ms: 2, max_attempts: 2 } }
tools:
  - id: flaky # fails now and then
    run: { module: ./tools.mjs, export: flaky }
  - id: steady
    run: { module: ./tools.mjs, export: steady }
# the end
`,
  'tools.mjs': `
let requests = 0;
export const flaky = () => { requests += 1; if (requests % 4 === 1 || requests % 10 === 2) throw Object.assign(new Error('busy'), { status: 503 }); return requests; };
export const steady = () => 1;
`,
  'turn.json': JSON.stringify({
    turn_id: 'monday',
    concurrency: 1,
    calls: Array.from({ length: 20 }, (_, index) => ({ call_id: `c${index}`, tool_id: index % 5 === 0 ? 'steady' : 'flaky' })),
  }),
};
