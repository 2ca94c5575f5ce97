/** A login on another device (RFC 8628). */
import { expect, test } from 'vitest';
import type { DeviceCode } from '../../src/server-auth/device-login.ts';
import { openLogins, whoAmI } from './fixtures/logins.ts';
import { startWorld, type WorldOptions } from './fixtures/world.ts';

async function logInAt(options: WorldOptions): Promise<{
  /** How long it has waited before each request for a token. */
  readonly waits: readonly number[];
  readonly codes: readonly DeviceCode[];
  readonly end: string;
  readonly who: string;
  readonly requests: readonly string[];
  readonly forms: readonly (readonly (readonly [string, string])[])[];
}> {
  await using world = await startWorld(options);
  const logins = openLogins(world.url, { type: 'oauth', scopes: ['read'] });
  const waits: number[] = [];
  const codes: DeviceCode[] = [];
  const wait = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
  const end = await logins.auth
    .onDevice('crm', logins.entry, '', { onCode: (code) => codes.push(code), signal: AbortSignal.timeout(10_000), wait })
    .then(
      () => 'logged in',
      (error: unknown) => (error as Error).message,
    );
  const who = await whoAmI(logins.connect()).catch((error: unknown) => String((error as { readonly code?: unknown }).code));
  return { waits, codes, end, who, requests: world.requests, forms: world.tokenRequests.map((form) => [...form]) };
}

test('shows the address and the code, waits as the server wants, and logs in', async () => {
  const device = ['authorization_pending', 'slow_down', 503, 'authorization_pending'];
  const { codes, waits, end, who, requests, forms } = await logInAt({ device });
  expect([end, who]).toEqual(['logged in', 'alice']);
  expect(codes).toMatchObject([{ url: 'https://id.example/device', userCode: 'ABCD-EFGH', scopes: ['read'] }]);
  expect(waits).toEqual([2_000, 2_000, 7_000, 12_000, 12_000]);
  expect(requests).toContain('POST /register');
  expect(forms[0]).toEqual(
    expect.arrayContaining([
      ['client_id', 'registered'],
      ['scope', 'read'],
      ['resource', expect.stringMatching(/\/mcp$/)],
    ]),
  );
  expect(forms[1]).toEqual(
    expect.arrayContaining([
      ['device_code', 'the-device-code'],
      ['resource', expect.stringMatching(/\/mcp$/)],
    ]),
  );
});

test('ends with a reason: refused, too late, or not offered', async () => {
  expect(await logInAt({ device: ['access_denied'] })).toMatchObject({
    end: expect.stringContaining('access_denied'),
    who: 'LOGIN_REQUIRED',
  });
  expect(await logInAt({ device: ['expired_token'] })).toMatchObject({
    end: expect.stringContaining('expired_token'),
    who: 'LOGIN_REQUIRED',
  });
  const pending = Array.from({ length: 1_000 }, () => 'authorization_pending');
  expect(await logInAt({ device: pending, deviceCode: { expires_in: 0.05 } })).toMatchObject({
    end: expect.stringContaining('not entered in time'),
    who: 'LOGIN_REQUIRED',
  });
  const none = await logInAt({});
  expect(none).toMatchObject({ codes: [], end: expect.stringContaining('log in without --device') });
  expect(none.requests).not.toContain('POST /register');
});

test('a code with control characters does not reach the terminal, nor an address without TLS the person', async () => {
  const { codes } = await logInAt({
    device: [],
    deviceCode: { user_code: 'A\u001b[2J', verification_uri_complete: 'https://id.example/device?code=A' },
  });
  expect(codes).toMatchObject([{ userCode: 'A?[2J', url: 'https://id.example/device?code=A' }]);
  const unsafe = await logInAt({ device: [], deviceCode: { verification_uri: 'javascript:alert(1)' } });
  expect(unsafe).toMatchObject({ codes: [], end: expect.stringContaining('has to be https') });
});
