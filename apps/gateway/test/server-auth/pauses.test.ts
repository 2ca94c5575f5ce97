/** How long requests to an authorization server take at most, and how often a failed refresh is tried again. */
import { expect, test, vi } from 'vitest';
import { authError } from '../../src/server-auth/auth-error.ts';
import { outboundClient } from '../../src/server-auth/outbound.ts';
import { TokenHolder } from '../../src/server-auth/token-holder.ts';
import type { Token } from '../../src/server-auth/token.ts';

const request = { method: 'POST', url: new URL('https://crm.example.com/mcp') };

test('a token is used until 3 s before its end; a failed refresh is tried again after 0.5 s, and later after 30 s at most', async () => {
  let now = 0;
  const asked: number[] = [];
  const token: Token = { accessToken: 't', type: 'bearer', requested: [], expiresAt: 100_000, renewAt: 80_000, version: '1' };
  const holder = new TokenHolder({
    now: () => now,
    supply: {
      renew(old) {
        if (old === undefined) return Promise.resolve(token);
        asked.push(now);
        return Promise.reject(authError('AUTHORIZATION_SERVER_DOWN', 'down'));
      },
    },
  });
  await holder.headers(request);
  for (; now <= 97_000; now += 100) {
    expect(await holder.headers(request)).toEqual(['authorization', 'Bearer t']);
    // The refresh in the background has failed at this time.
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (; now < 400_000; now += 100) await expect(holder.headers(request)).rejects.toMatchObject({ code: 'AUTHORIZATION_SERVER_DOWN' });
  const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  expect(asked[0]).toBe(80_000);
  expect(pauses.slice(0, 7)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
  expect(new Set(pauses.slice(6))).toEqual(new Set([30_000]));
});

test('a request to an authorization server ends after 10 s', async () => {
  const limits = vi.spyOn(AbortSignal, 'timeout');
  const client = outboundClient({ addresses: 'any' });
  await expect(client.fetch('http://127.0.0.1:9/')).rejects.toMatchObject({ code: 'AUTHORIZATION_SERVER_DOWN' });
  expect(limits.mock.calls).toEqual([[10_000]]);
  limits.mockRestore();
  await client.close();
});
