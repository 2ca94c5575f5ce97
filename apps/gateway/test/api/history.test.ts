/** The history over the API: overview, tools over time, circuits, failures, turns by their facts. */
import { type AnyTool, defineTool } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { createKit as createPlainKit, type Kit, type KitOptions, plan, type AnyJson } from './kit.ts';

const kits: Kit[] = [];
afterEach(async () => {
  for (const kit of kits.splice(0)) await kit.past?.close();
});

function createKit(options: KitOptions = {}): Kit {
  const kit = createPlainKit({ history: {}, ...options });
  kits.push(kit);
  return kit;
}

const down = (message = 'connect ECONNREFUSED 10.0.0.1:80'): Error => Object.assign(new Error(message), { code: 'ECONNREFUSED' });
let shaken = 0;
let broken = 0;
const quick = { initialDelayMs: 1, jitter: 'none' } as const;
const tools: readonly AnyTool[] = [
  defineTool({ name: 'steady', run: async () => 'fine' }),
  defineTool({ name: 'shaky', retry: quick, breaker: false, run: async () => (++shaken % 2 === 0 ? 'fine' : Promise.reject(down())) }),
  defineTool({
    name: 'broken',
    retry: { ...quick, maxAttempts: 2 },
    breaker: { failureThreshold: 3, openMs: 60_000 },
    run: async () => Promise.reject(down(`connect ECONNREFUSED 10.0.0.${++broken}:80`)),
  }),
  defineTool({
    name: 'replaced',
    retry: { maxAttempts: 1 },
    breaker: false,
    alternatives: ['steady'],
    run: async () => Promise.reject(down()),
  }),
];

const call = (kit: Kit, tool: string): Promise<unknown> => kit.post('/v1/calls', { tool_id: tool });
const tileOf = (overview: AnyJson, name: string): AnyJson => overview.tools.find((tile: AnyJson) => tile.name === name);

async function lively(): Promise<Kit> {
  const kit = createKit({ tools });
  for (let index = 0; index < 4; index += 1) {
    await call(kit, 'steady');
    await call(kit, 'shaky');
    await call(kit, 'broken');
  }
  await kit.post('/v1/turns', plan('trip', { call_id: 'a', tool_id: 'replaced' }, { call_id: 'b', tool_id: 'steady', depends_on: ['a'] }));
  await kit.post('/v1/turns', plan('lost', { call_id: 'a', tool_id: 'broken' }, { call_id: 'b', tool_id: 'steady', depends_on: ['a'] }));
  return kit;
}

describe('the overview', () => {
  test("a tool that a server's Retry-After holds is degraded until the hold ends", async () => {
    const system = manualSystem();
    const limited = defineTool({
      name: 'limited',
      run: async () => Promise.reject(Object.assign(new Error('Too Many Requests'), { status: 429, headers: { 'retry-after': '3600' } })),
    });
    const kit = createKit({ tools: [limited], service: { system } });
    await call(kit, 'limited');
    await system.advance(1_500);
    const before = Date.now();
    const { body } = await kit.get('/v1/overview');
    expect(tileOf(body, 'limited')).toMatchObject({
      status: 'degraded',
      status_reason: "Held by its server's Retry-After for another 9 s.",
      circuit: 'closed',
      retry_after_ms: 8_500,
    });
    const left = Date.parse(tileOf(body, 'limited').held_until) - before;
    expect(left).toBeGreaterThanOrEqual(8_500);
    expect(left).toBeLessThan(9_500);
    await system.advance(8_500);
    expect(tileOf((await kit.get('/v1/overview')).body, 'limited')).not.toHaveProperty('held_until');
  });

  test('has the status of each tool, failing ones first, and the changes', async () => {
    const kit = await lively();
    const { body } = await kit.get('/v1/overview');
    expect(body['tools'].map(({ name, status }: AnyJson) => `${name} ${status}`)).toEqual(
      ['broken failing', 'replaced ok', 'shaky degraded', 'steady ok'].toSorted(byStatus),
    );
    expect(tileOf(body, 'broken')).toMatchObject({
      circuit: 'open',
      counts: { calls: 5, first_try: 0, recovered: 0, failed: 5, refused: 3 },
      failure: { part: 5, whole: 5, share: 1 },
      retry_success: { part: 0, whole: 1 },
      last_failure: { attempt: 1, code: 'NETWORK_ERROR', stopped_by: 'circuit' },
    });
    expect(tileOf(body, 'broken').status_reason).toMatch(/^Its circuit is open: calls are refused for another \d+ s\.$/);
    expect(tileOf(body, 'shaky')).toMatchObject({
      circuit: null,
      counts: { calls: 4, recovered: 4 },
      retry_success: { part: 4, whole: 4, share: 1 },
    });
    // Skipped calls do not count for a tool.
    expect(tileOf(body, 'steady')).toMatchObject({ counts: { calls: 6, first_try: 5, skipped: 1 }, failure: { part: 0, whole: 5 } });
    expect(
      tileOf(body, 'steady')
        .recent.flat()
        .reduce((sum: number, count: number) => sum + count, 0),
    ).toBe(5);
    expect(body['changes'].map(({ kind, tool_id }: AnyJson) => `${kind} ${tool_id}`)).toEqual([
      'new_failure replaced',
      'circuit_opened broken',
      'new_failure broken',
      'new_failure shaky',
    ]);
    expect(body['turns'][0]).toMatchObject({ turn_id: 'lost', state: 'completed', calls: 2, facts: { skipped_calls: 1 } });
    expect(body['totals']).toMatchObject({ tools: 4, circuits_open: 1, calls: { calls: 16, failed: 5, skipped: 1 } });
  });

  test('a tool without calls is idle', async () => {
    const { body } = await createKit().get('/v1/overview');
    expect(tileOf(body, 'echo')).toMatchObject({ status: 'idle', status_reason: 'No calls in the last 5 minutes.', counts: { calls: 0 } });
    expect(tileOf(body, 'echo')).not.toHaveProperty('latency');
  });
});

const ranks: Readonly<Record<string, number>> = { failing: 0, degraded: 1, ok: 2 };
const byStatus = (one: string, other: string): number =>
  (ranks[one.split(' ')[1] ?? ''] ?? 9) - (ranks[other.split(' ')[1] ?? ''] ?? 9) || (one < other ? -1 : 1);

describe('a tool over time', () => {
  test('its series add up to the counts of the overview, in every range', async () => {
    const kit = await lively();
    const overview = (await kit.get('/v1/overview')).body;
    for (const range of ['15m', '1h', '6h', '24h', '7d', '14d']) {
      for (const name of ['steady', 'shaky', 'broken', 'replaced']) {
        const { body } = await kit.get(`/v1/tools/${name}/history?range=${range}`);
        const { counts, failure, retry_success } = tileOf(overview, name);
        expect({ ...body['totals'], failure: body['failure'], retry_success: body['retry_success'] }).toEqual({
          ...counts,
          failure,
          retry_success,
        });
        for (const key of ['first_try', 'recovered', 'failed', 'skipped', 'refused']) {
          expect(body[key]).toHaveLength(body['at'].length);
          expect(body[key].reduce((sum: number, count: number) => sum + count, 0)).toBe(counts[key]);
        }
        expect(body['at'][1] - body['at'][0]).toBe(body['step_ms'] / 1_000);
      }
    }
  });

  test('why the retries stopped, what failed, what was slow', async () => {
    const kit = await lively();
    const { body } = await kit.get('/v1/tools/broken/history?range=15m');
    expect(body['errors']).toEqual([{ name: 'NETWORK_ERROR', count: 3 }]);
    expect(body['retries_denied'].find(({ name }: AnyJson) => name === 'attempts')).toEqual({ name: 'attempts', count: 1 });
    // Each failed call once, with its last failure. The three refused ones are counted only: they would hide the real failures.
    expect(body['latest_failures'].map(({ attempt, stopped_by }: AnyJson) => [attempt, stopped_by])).toEqual([
      [1, 'circuit'],
      [2, 'attempts'],
    ]);
    expect(body['totals']).toMatchObject({ failed: 5, refused: 3 });
    // Three attempts of the two calls that ran.
    expect(body['attempts_per_call']).toBe(1.5);
    expect(body['slowest']).toHaveLength(2);
    expect(body['p95_ms'].filter((value: number | null) => value !== null)).toHaveLength(1);
  });

  test('a tool without a circuit breaker has no state, at no time', async () => {
    const kit = await lively();
    const { body } = await kit.get('/v1/tools/shaky/circuit?range=1h');
    expect(body).toMatchObject({ state: null, changes: [], samples: [], rule: 'It has no circuit breaker.' });
    const other = (await kit.get('/v1/tools/steady/circuit?range=1h')).body;
    // The hour before the gateway started is not known.
    expect(other['state']).toBe('closed');
    expect(Date.parse(other['known_since'])).toBeGreaterThan(Date.parse(other['since']));
  });

  test("its circuit's timeline has the outcomes that opened it", async () => {
    const kit = await lively();
    const { body } = await kit.get('/v1/tools/broken/circuit?range=15m');
    expect(body).toMatchObject({
      state: 'closed',
      rule: 'It opens after 3 failed attempts in a row with transient errors, stays open for 60 s, and closes after one successful probe.',
      changes: [{ from: 'closed', to: 'open', reason: 'failure_threshold', failure_count: 3 }],
    });
    expect(body['changes'][0].samples.map(({ counted }: AnyJson) => counted)).toEqual([true, true, true]);
    expect((await kit.get('/v1/tools/shaky/circuit')).body['rule']).toBe('It has no circuit breaker.');
  });
});

describe('similar failures', () => {
  test('are one cluster, with the results of their calls', async () => {
    const kit = await lively();
    const { body } = await kit.get('/v1/failures?tool_id=broken');
    expect(body['clusters']).toMatchObject([
      {
        tool_id: 'broken',
        pattern: 'connect ECONNREFUSED <address>',
        count: 3,
        calls_failed: 2,
        calls_recovered: 0,
        strategies: [{ strategy: 'retry', tried: 1, succeeded: 0 }],
        is_new: true,
      },
    ]);
    expect(body['clusters'][0].hourly.at(-1) + body['clusters'][0].hourly.at(-2)).toBe(3);
    const { signature } = body['clusters'][0];
    expect((await kit.get(`/v1/failures/${signature}`)).body).toMatchObject({ signature, count: 3 });
    const future = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
    expect((await kit.get(`/v1/failures?since=${future}`)).body).toEqual({ clusters: [] });
  });
});

describe('turns by their facts', () => {
  const idsOf = async (kit: Kit, query: string): Promise<readonly string[]> =>
    (await kit.get(`/v1/turns?${query}`)).body['turns'].map(({ turn_id }: AnyJson) => turn_id);

  test('each filter returns exactly the matching turns', async () => {
    const kit = await lively();
    const all = (await kit.get('/v1/turns?limit=200')).body['turns'];
    expect(all).toHaveLength(14);
    const holds: Readonly<Record<string, (turn: AnyJson) => boolean>> = {
      'tool_id=broken': ({ facts }) => facts.tools.includes('broken'),
      'tool_id=steady&code=DEPENDENCY_FAILED': ({ turn_id }) => turn_id === 'lost',
      'code=CIRCUIT_OPEN': ({ facts }) => facts.codes.includes('CIRCUIT_OPEN'),
      'code=NETWORK_ERROR&outcome=success': ({ facts, outcome }) => facts.codes.includes('NETWORK_ERROR') && outcome === 'success',
      'retried=true': ({ facts }) => facts.retries > 0,
      'retried=false&outcome=failed': ({ facts, outcome }) => facts.retries === 0 && outcome === 'failed',
      'alternative=true': ({ turn_id }) => turn_id === 'trip',
      'deadline=true': () => false,
      'repaired=false': () => true,
      'q=tri': ({ turn_id }) => turn_id === 'trip',
      'q=COMPLETED+shaky': ({ facts }) => facts.tools[0] === 'shaky',
      'q=%25': () => false,
    };
    for (const [query, passes] of Object.entries(holds))
      expect([query, await idsOf(kit, `${query}&limit=200`)]).toEqual([query, all.filter(passes).map(({ turn_id }: AnyJson) => turn_id)]);
  });

  test('pages are exact', async () => {
    const kit = await lively();
    const whole = await idsOf(kit, 'repaired=false&limit=200');
    const pieces: string[] = [];
    let cursor = '';
    for (let page = 0; page < 20; page += 1) {
      const { body } = await kit.get(`/v1/turns?repaired=false&limit=3${cursor}`);
      pieces.push(...body['turns'].map(({ turn_id }: AnyJson) => turn_id));
      if (body['next_cursor'] === undefined) break;
      cursor = `&cursor=${body['next_cursor']}`;
    }
    expect(pieces).toEqual(whole);
    expect(whole).toHaveLength(14);
  });

  test('a cursor of other filters is refused', async () => {
    const kit = await lively();
    const { next_cursor } = (await kit.get('/v1/turns?limit=1')).body;
    const wrong = await kit.get(`/v1/turns?tool_id=steady&cursor=${next_cursor}`);
    expect(wrong).toMatchObject({
      status: 400,
      body: { error: { field: 'cursor', allowed: 'the next_cursor of the previous page, with the same filters' } },
    });
    const facts = (await kit.get('/v1/turns?tool_id=steady&limit=1')).body['next_cursor'];
    expect((await kit.get(`/v1/turns?cursor=${facts}`)).status).toBe(400);
  });

  test('a running turn is found', async () => {
    const kit = createKit();
    await kit.post('/v1/turns?wait=false', plan('under-way', { call_id: 'a', tool_id: 'wait' }));
    expect((await kit.get('/v1/turns?tool_id=wait')).body['turns']).toMatchObject([
      { turn_id: 'under-way', state: 'running', facts: { tools: ['wait'] } },
    ]);
    kit.waiting.open();
    await kit.api.drain(5_000);
  });
});
