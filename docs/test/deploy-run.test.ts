/** The deployment as it is published: its processes start with the commands of compose.yaml, run turns, and go on without a worker that hangs and a lost node. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Deployment, haproxy } from './support/deployment.ts';

/** The tool of the example. It is slow for the first call of a place that starts with `slow`. */
const waiting = new Map<string, () => void>();
const seen: string[] = [];
let tool: Server;
let deployment: Deployment;

beforeAll(async () => {
  tool = createServer((request, response) => {
    const place = new URL(request.url ?? '/', 'http://tool').searchParams.get('place') ?? '';
    const answer = (): void => void response.setHeader('content-type', 'application/json').end(JSON.stringify({ place }));
    seen.push(place);
    if (place.startsWith('slow') && !waiting.has(place)) waiting.set(place, answer);
    else answer();
  }).listen(0, '127.0.0.1');
  await once(tool, 'listening');
  deployment = new Deployment(`http://127.0.0.1:${(tool.address() as AddressInfo).port}/forecast`);
  if (haproxy !== undefined) await deployment.start();
}, 180_000);

afterAll(async () => {
  await deployment.stop();
  tool.closeAllConnections();
  tool.close();
});

/** While the engine elects its leaders, a turn is refused with a hint to send it again under the same id. */
async function runTurn(turnId: string, place: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const end = performance.now() + 60_000;
  for (;;) {
    const response = await fetch(`${deployment.gatewayUrl}/v1/turns`, {
      method: 'POST',
      headers: { authorization: `Bearer ${deployment.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ turn_id: turnId, calls: [{ call_id: 'F', tool_id: 'forecast', arguments: { place } }] }),
    });
    const body = (await response.json()) as Record<string, unknown>;
    if (response.status !== 503 || performance.now() > end) return { status: response.status, body };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const succeeded = { status: 200, body: { outcome: 'success', results: [{ status: 'success' }] } };

describe.runIf(haproxy)('deploy/', { timeout: 120_000 }, () => {
  test('runs a turn from the gateway over balancer, engine and worker', async () => {
    expect(await runTurn('first', 'Lisbon')).toMatchObject(succeeded);
    const headers = { authorization: `Bearer ${deployment.token}` };
    const turn = await fetch(`${deployment.gatewayUrl}/v1/turns/first`, { headers });
    expect(await turn.json()).toMatchObject({ state: 'completed', report: { results: [{ call_id: 'F', output: { place: 'Lisbon' } }] } });
  });

  test('a worker that hangs holds its turn for 15 s at most', async () => {
    // One turn on each worker: whichever hangs has one.
    const turns = ['slow-1', 'slow-2', 'slow-3', 'slow-4'].map((place) => runTurn(place, place));
    await vi.waitFor(
      () => expect([...waiting.keys()].toSorted(), JSON.stringify(seen)).toEqual(['slow-1', 'slow-2', 'slow-3', 'slow-4']),
      30_000,
    );
    deployment.signal('worker-1', 'SIGSTOP');
    const stopped = performance.now();
    // The other worker's own attempts end; those of the stopped one are repeated.
    for (const answer of waiting.values()) answer();
    expect(await Promise.all(turns)).toMatchObject(turns.map(() => succeeded));
    expect(performance.now() - stopped).toBeLessThan(15_000);
    deployment.signal('worker-1', 'SIGCONT');
  });

  test('a lost node of the engine is replaced by the others', async () => {
    deployment.signal('restate-2', 'SIGKILL');
    expect(await runTurn('later', 'Porto')).toMatchObject(succeeded);
  });
});
