/** A worker has no clients, but its turns are theirs: the id of a turn begins with its owner. */
import { parseManifest } from '@holdfast/manifest';
import { expect, test } from 'vitest';
import { createWorker } from '../../src/worker/worker.ts';
import { boardServer, secrets } from '../access/people.ts';

test.each([
  ['per_principal', 'last: nothing'],
  ['shared', 'last: of alice'],
])('%s: what a turn of one person left at a server is seen by a turn of another: %s', async (isolation, seen) => {
  Object.assign(process.env, { ALICE_TOKEN: secrets.alice, BOB_TOKEN: secrets.bob });
  const { manifest, problems } = parseManifest(
    JSON.stringify({
      version: 1,
      mcp_servers: { own: boardServer({ isolation }) },
      gateway: {
        tool_lock: 'off',
        tokens: [
          { name: 'alice', env: 'ALICE_TOKEN' },
          { name: 'bob', env: 'BOB_TOKEN' },
        ],
      },
      engine: { restate: { ingress: 'http://127.0.0.1:9', admin: 'http://127.0.0.1:9' } },
    }),
  );
  if (manifest?.engine === undefined) throw new Error(JSON.stringify(problems));
  const worker = await createWorker({ ...manifest, engine: manifest.engine }, { log: 'off' });
  const { service } = worker;
  try {
    // It listens once it has the tools of its servers.
    await worker.listen({ port: 0 });
    const turn = (turnId: string, toolName: string, args: object): ReturnType<typeof service.executeTurn> =>
      service.executeTurn({ turnId, calls: [{ callId: 'c', toolName, arguments: args }] });
    await turn('alice/1', 'own__remember', { text: 'of alice' });
    const { results } = await turn('bob/1', 'own__recall', {});
    expect(JSON.stringify(results)).toContain(seen);
  } finally {
    await worker.close();
  }
});
