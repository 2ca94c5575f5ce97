/** At an isolated server, the process of one person fails again and again: a circuit opens for that person only. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClientCircuits, isRefused, wholeHealth } from '../../src/access/client-circuits.ts';
import type { GatewayInProcess, ManifestWords } from '../fixtures/gateway.ts';
import { boardServer, gatewayOf, Person, secrets } from './people.ts';

const quick = { retry_policy: { max_attempts: 1 }, circuit_breaker: { failure_threshold: 2, open_ms: 600_000 } };
const fragile = (isolation: string): ManifestWords => boardServer({ isolation, defaults: quick });
const operatorToken = 'ops-token-0123456789abcd';

async function start(): Promise<GatewayInProcess> {
  process.env['OPS_TOKEN'] = operatorToken;
  const tokens = [
    { name: 'alice', env: 'ALICE_TOKEN' },
    { name: 'bob', env: 'BOB_TOKEN' },
    { name: 'ops', env: 'OPS_TOKEN', roles: ['call', 'read', 'operate'] },
  ];
  return gatewayOf({ tokens }, { own: fragile('per_principal'), session: fragile('per_session'), all: fragile('shared') });
}

const metaOf = ({ body }: Awaited<ReturnType<Person['call']>>): object => body.result?._meta?.['dev.holdfast/error'] ?? body;

/** Calls until the circuit of the caller is open. */
async function crash(person: Person, tool: string): Promise<void> {
  for (let call = 0; call < 10; call += 1) {
    const answer = await person.call(tool, { crash: true });
    if (answer.text.includes('CIRCUIT_OPEN')) return;
  }
  throw new Error('The circuit did not open');
}

let gateway: GatewayInProcess;
let alice: Person;
let bob: Person;
let ops: Person;

beforeAll(async () => {
  gateway = await start();
  alice = await new Person(gateway.url, secrets.alice).greet();
  bob = await new Person(gateway.url, secrets.bob).greet();
  ops = await new Person(gateway.url, operatorToken).greet();
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

describe('per_principal', () => {
  beforeAll(() => crash(alice, 'own__recall'));

  test('over MCP, in both eras, and over HTTP, calls of that person are refused', async () => {
    expect(metaOf(await alice.call('own__recall'))).toMatchObject({ code: 'CIRCUIT_OPEN', circuit: 'open', attempts: 0 });
    expect(metaOf(await alice.modern('tools/call', { name: 'own__recall' }))).toMatchObject({ code: 'CIRCUIT_OPEN' });
    const call = await alice.send('POST', '/v1/calls', { tool_id: 'own__recall' });
    expect(call.body).toMatchObject({ status: 'error', error: { code: 'CIRCUIT_OPEN' } });
    const turn = await alice.send('POST', '/v1/turns', { turn_id: 'a', calls: [{ call_id: 'c', tool_id: 'own__recall' }] });
    expect(turn.text).toContain('CIRCUIT_OPEN');
  });

  test('those of the other are answered at the first attempt, in every way', async () => {
    await bob.call('own__remember', { text: 'mine' });
    expect((await bob.call('own__recall')).text).toContain('last: mine');
    expect((await bob.modern('tools/call', { name: 'own__recall' })).text).toContain('last: mine');
    const call = await bob.send('POST', '/v1/calls', { tool_id: 'own__recall' });
    expect(call.body).toMatchObject({ status: 'success', attempts: 1 });
    const turn = await bob.send('POST', '/v1/turns', { turn_id: 'b', calls: [{ call_id: 'c', tool_id: 'own__recall' }] });
    expect(turn.body).toMatchObject({ outcome: 'success' });
  });

  test('the other is not told of it: not in a failure, not in a tool, not in a list', async () => {
    expect(metaOf(await bob.call('own__recall', { crash: true }))).toMatchObject({ circuit: 'closed', attempts: 1 });
    const tool = await bob.send('GET', '/v1/tools/own__recall');
    expect(tool.body.health).toMatchObject({ circuit: 'closed', failure_count: 1 });
    expect(tool.body.health).not.toHaveProperty('clients');
    for (const path of ['/v1/tools', '/v1/tools/own__recall']) expect((await bob.send('GET', path)).text).not.toMatch(/alice|"open"/);
    expect((await alice.send('GET', '/v1/tools/own__recall')).body.health).toMatchObject({ circuit: 'open' });
  });

  test('an operator sees whose circuit is open; the circuit of the tool is closed', async () => {
    const { health } = (await ops.send('GET', '/v1/tools/own__recall')).body;
    expect(health).toMatchObject({ circuit: 'closed', clients: [{ client: 'alice', circuit: 'open', failure_count: 2 }] });
    const { tools, totals, alerts, changes } = (await ops.send('GET', '/v1/overview')).body;
    const tile = tools.find(({ name }: { readonly name: string }) => name === 'own__recall');
    expect(tile).toMatchObject({ circuit: 'closed', client_circuits_open: 1 });
    expect(totals.circuits_open).toBe(0);
    expect(alerts.filter(({ name }: { readonly name: string }) => name === 'CircuitOpen')).toEqual([]);
    expect(changes.map(({ text }: { readonly text: string }) => text)).toContain(
      'Circuit of own__recall for alice opened: 2 failures in a row',
    );
    const scraped = (await ops.send('GET', '/metrics')).text;
    expect(scraped).toContain('holdfast_circuit_state{tool="own__recall",state="closed"} 1');
    expect(scraped).toContain('holdfast_circuit_transitions_total{tool="own__recall",to="open",reason="failure_threshold"} 1');
  });

  test('an operator controls the circuit of one client: the others keep theirs, the command is recorded', async () => {
    await crash(bob, 'own__recall');
    const control = (body: object) => ops.send('POST', '/v1/tools/own__recall/circuit', body);
    const opened = await control({ command: 'open', client: 'alice' });
    expect(opened.body).toMatchObject({ name: 'own__recall', client: 'alice', health: { circuit: 'open', mode: 'forced_open' } });
    const { health } = (await ops.send('GET', '/v1/tools/own__recall')).body;
    expect(health).toMatchObject({
      circuit: 'closed',
      mode: 'auto',
      clients: [
        { client: 'bob', mode: 'auto' },
        { client: 'alice', mode: 'forced_open' },
      ],
    });
    expect((await control({ command: 'close', client: 'bob' })).body).toMatchObject({ client: 'bob', health: { circuit: 'closed' } });
    expect((await bob.call('own__recall')).text).not.toContain('CIRCUIT_OPEN');
    expect(metaOf(await alice.call('own__recall'))).toMatchObject({ code: 'CIRCUIT_OPEN' });
    const { changes } = (await ops.send('GET', '/v1/overview')).body;
    const texts = changes.map(({ text }: { readonly text: string }) => text);
    expect(texts).toContain('ops opened the circuit of own__recall for alice');
    expect(texts).toContain('ops closed the circuit of own__recall for bob');
  });

  test.each([
    ['alcie', 404, { code: 'UNKNOWN_CLIENT', suggestion: 'alice' }],
    ['__proto__', 404, { code: 'UNKNOWN_CLIENT' }],
    ['ALICE#', 404, { code: 'UNKNOWN_CLIENT' }],
    ['', 422, {}],
  ])('a client %j without a circuit is unknown, and nothing changes', async (client, status, error) => {
    const answer = await ops.send('POST', '/v1/tools/own__recall/circuit', { command: 'reset', client });
    expect(answer).toMatchObject({ status, body: { error: { field: 'client', ...error } } });
    expect((await alice.send('GET', '/v1/tools/own__recall')).body.health).toMatchObject({ circuit: 'open' });
  });

  test('a client controls no circuit, not even its own', async () => {
    const answer = await alice.send('POST', '/v1/tools/own__recall/circuit', { command: 'reset', client: 'alice' });
    expect(answer.status).toBe(403);
    expect(metaOf(await alice.call('own__recall'))).toMatchObject({ code: 'CIRCUIT_OPEN' });
  });

  test('a reset by an operator closes it', async () => {
    expect((await ops.send('POST', '/v1/tools/own__recall/circuit', { command: 'reset' })).body.health).not.toHaveProperty('clients');
    // The process may still be about to start again.
    expect((await alice.call('own__recall')).text).not.toContain('CIRCUIT_OPEN');
  });
});

test('per_session: one session of a person does not count for another one', async () => {
  await crash(alice, 'session__recall');
  const other = await new Person(gateway.url, secrets.alice).greet();
  expect((await other.call('session__recall')).text).toContain('last: nothing');
  const { health } = (await ops.send('GET', '/v1/tools/session__recall')).body;
  expect(health.clients).toEqual([expect.objectContaining({ client: expect.stringMatching(/^alice#[\da-f]{16}$/), circuit: 'open' })]);
  expect(health.clients[0].client).not.toContain(alice.session);
});

test('a shared server has one circuit for everybody', async () => {
  await crash(alice, 'all__recall');
  expect(metaOf(await bob.call('all__recall'))).toMatchObject({ code: 'CIRCUIT_OPEN' });
});

describe('whose circuit', () => {
  const isolated = (isolation: string) => ({ entry: { isolation } });
  const servers: Record<string, unknown> = {
    own: isolated('per_principal'),
    session: isolated('per_session'),
    all: isolated('shared'),
  };
  const circuits = createClientCircuits({
    upstreams: { all: () => Object.values(servers), get: (name: string) => servers[name] } as never,
    catalog: {
      get: (name: string) => ({ source: name === 'local' ? { kind: 'tool' } : { kind: 'mcp', server: name, tool: 't' } }),
    } as never,
    exchanges: new Map(),
    keepsApart: () => true,
  });
  const namesOf = (partitionOf: ReturnType<typeof circuits.of>) => ['own', 'session', 'all', 'local'].map((name) => partitionOf?.(name));

  test('the owner that an id begins with', () => {
    expect(namesOf(circuits.ofId('alice/turn'))).toEqual(['alice', 'alice', undefined, undefined]);
    expect(namesOf(circuits.ofCall('alice/turn', 'bob/call'))).toEqual(['alice', 'alice', undefined, undefined]);
    expect(namesOf(circuits.ofId('call'))).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('sessions of a client, and of a gateway with one client', () => {
    const [own, session] = namesOf(circuits.of({ principal: 'alice', owner: 'alice', session: 'secret' }));
    expect([own, session]).toEqual(['alice', expect.stringMatching(/^alice#[\da-f]{16}$/)]);
    const [shared, alone] = namesOf(circuits.of({ principal: undefined, owner: undefined, session: 'secret' }));
    expect([shared, alone]).toEqual([undefined, expect.stringMatching(/^#[\da-f]{16}$/)]);
  });
});

test('the health of a tool has the calls of all clients', () => {
  const gate = { circuit: 'closed', mode: 'auto', failureCount: 0, inFlight: 1, orphaned: 0, queued: 2 } as const;
  const states: Readonly<Record<string, object>> = { alice: { ...gate, circuit: 'open' }, bob: gate };
  const service = {
    getToolHealth: (name: string, partition?: string) =>
      name === 'none' ? undefined : partition === undefined ? { ...gate, partitions: ['alice', 'bob'] } : states[partition],
  } as Parameters<typeof wholeHealth>[0];
  expect(wholeHealth(service, 'own')).toMatchObject({ inFlight: 3, queued: 6, circuit: 'closed', clients: [{ client: 'alice' }] });
  expect(wholeHealth(service, 'none')).toBeUndefined();
});

test.each([
  ['open', 'auto', true],
  ['open', 'forced_open', true],
  ['open', 'shadow', false],
  ['closed', 'disabled', false],
] as const)('a client whose own circuit is %s, %s: refused %s', (circuit, mode, refused) => {
  const health = { circuit, mode, failureCount: 0, inFlight: 0, orphaned: 0, queued: 0 };
  expect(isRefused({ client: 'alice', health })).toBe(refused);
});
