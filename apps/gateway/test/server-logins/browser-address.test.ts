import { expect, test } from 'vitest';
import { browserRoot, clientDocument, clientDocumentUrl, isLoginPath } from '../../src/server-logins/browser-address.ts';
import { cookieOf, expiredCookie, loginCookies, newCookie } from '../../src/server-logins/cookies.ts';

test('browsers come back to the public address, else to the loopback address, else nowhere', () => {
  expect(browserRoot({ publicUrl: 'https://tools.example.com/holdfast/' }, 'http://0.0.0.0:7340')).toEqual({
    root: 'https://tools.example.com/holdfast',
  });
  expect(browserRoot({}, 'http://127.0.0.1:7340')).toEqual({ root: 'http://127.0.0.1:7340' });
  for (const address of ['http://0.0.0.0:7340', 'http://10.0.0.1:7340', 'unix:/run/holdfast.sock', undefined])
    expect(browserRoot({}, address)).toEqual({ problem: expect.stringContaining('Set gateway.public_url') });
  expect(browserRoot({ publicUrl: 'http://tools.example.com' }, undefined)).toEqual({
    problem: expect.stringContaining('has to be https'),
  });
});

test('the client document has an id only where authorization servers everywhere can read it', () => {
  expect(clientDocumentUrl('https://tools.example.com', 'crm')).toBe('https://tools.example.com/.well-known/oauth-client/crm.json');
  const hidden = [
    'http://127.0.0.1:7340',
    'https://tools',
    'https://tools.corp',
    'https://gw.internal',
    'https://10.1.2.3',
    'https://[fd00::1]',
  ];
  for (const root of hidden) expect(clientDocumentUrl(root, 'crm')).toBeUndefined();
  const path = '/.well-known/oauth-client/crm.json';
  expect(clientDocument(path, 'https://tools.example.com', (name) => name === 'crm')).toMatchObject({ client_name: 'Holdfast' });
  expect(clientDocument(path, 'https://tools.example.com', () => false)).toBeUndefined();
  expect(clientDocument('/.well-known/oauth-client/%zz.json', 'https://tools.example.com', () => true)).toBeUndefined();
  expect(['/oauth/callback/crm', path, '/oauth/callback', '/v1/logins'].map(isLoginPath)).toEqual([true, true, false, false]);
});

test('the cookie belongs to one login and one browser', () => {
  const root = 'http://127.0.0.1:7340';
  const secret = 'x'.repeat(43);
  const cookie = newCookie('b.one', secret, root);
  expect(cookie).toMatch(/^holdfast-login-[0-9a-f]{16}=x{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  const [sent = ''] = cookie.split(';');
  expect(cookieOf(`theme=dark; ${sent}`, 'b.one', root)).toBe(secret);
  expect(cookieOf(sent, 'b.two', root)).toBeUndefined();
  expect(cookieOf(`${sent}; ${sent}`, 'b.one', root)).toBeUndefined();
  expect(cookieOf(null, 'b.one', root)).toBeUndefined();
  expect(expiredCookie('b.one', root)).toContain(`${sent.split('=')[0]}=; Max-Age=0`);
  expect(loginCookies(`session=secret; ${sent}; other=1`)).toBe(` ${sent}`);
  expect(loginCookies('session=secret')).toBeUndefined();
});
