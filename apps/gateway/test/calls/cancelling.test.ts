import { describe, expect, it } from 'vitest';
import { servers, tool } from '../catalog/scene.ts';
import { callsScene, request } from './scene.ts';

const read = { annotations: { readOnlyHint: true } };

describe('cancelling', () => {
  it("reaches the server, and ends with the client's reason", async () => {
    const scene = await callsScene(servers(['a']), { a: [tool('slow', read)] });
    let upstreamReason: unknown;
    scene.upstream('a').onCall = (_params, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          upstreamReason = signal.reason;
          reject(signal.reason as Error);
        });
      });
    const asked = request('a__slow');
    const answer = scene.calls.handle(asked);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const reason = new Error('gone');
    asked.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(upstreamReason).toBeDefined();
    expect(scene.calls.status().running).toBe(0);
  });
});
