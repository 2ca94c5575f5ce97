/** The dashboard's page and files over HTTP: answers, caching, content security policy, and that no other files are served. */
import { mkdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentSecurityPolicy, createDashboard } from '../../src/dashboard/dashboard.ts';
import { isDashboard } from '../../src/dashboard/paths.ts';
import { installedDashboard } from '../../src/dashboard/installed.ts';
import type { HttpShell } from '../../src/http/options.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { readWords } from '../fixtures/gateway.ts';
import { raw } from '../http/support/raw-http.ts';
import { builtFolder, emptyFolder, type Folder, page, script } from './folder.ts';

const pages = [
  '/',
  '/tools',
  '/tools/search',
  '/tools/a%2Fb',
  '/turns',
  '/turns/t-1',
  '/turns/t-1/what-if',
  '/failures',
  '/failures/x',
  '/alerts',
];
const words = { version: 1, tools: [{ id: 'echo', run: { command: { command: 'true' } } }] };
const scriptPath = '/assets/main-Ab12.js';

let built: Folder;
let gateway: Gateway;
let shell: HttpShell;

/** Sends a request without the client's handling of encodings. */
async function ask(path: string, { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {}) {
  const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}`);
  const { status, head, body } = await raw(shell.port ?? 0, `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const reported = head.split('\r\n').flatMap((line) => (line.includes(': ') ? [line.split(': ', 2) as [string, string]] : []));
  return {
    status,
    headers: Object.fromEntries(reported.map(([name, value]) => [name.toLowerCase(), value])) as Record<string, string | undefined>,
    body,
  };
}

beforeAll(async () => {
  built = await builtFolder();
  gateway = await createGateway(readWords(words, 'holdfast.yaml'), { log: 'off', dashboard: { folder: built.folder } });
  shell = await gateway.listen({ port: 0 });
});

afterAll(async () => {
  await gateway.close(0);
  await built[Symbol.asyncDispose]();
});

test.each(pages)('%s is the page, revalidated each time', async (path) => {
  const answer = await fetch(new URL(path, shell.url));
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe(page);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-cache');
});

test.each(['/v1/nothing', '/tool', '/toolsx', '/alerts/x', '/index.html', '/assets', '/favicon.ico', '/dist/index.html'])(
  '%s is not the dashboard',
  async (path) => {
    const answer = await fetch(new URL(path, shell.url));
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('problem+json');
  },
);

test('the page loads from this origin only, cannot be framed, and sends no referrer', async () => {
  for (const path of ['/', scriptPath, '/assets/none.js']) {
    const { headers } = await fetch(new URL(path, shell.url));
    expect(headers.get('content-security-policy')).toBe(contentSecurityPolicy);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('set-cookie')).toBeNull();
  }
  expect(contentSecurityPolicy).not.toMatch(/unsafe|\*|http/);
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "connect-src 'self'",
  ])
    expect(contentSecurityPolicy.split('; ')).toContain(part);
});

describe('a file', () => {
  test('is cached forever', async () => {
    const answer = await fetch(new URL(scriptPath, shell.url));
    expect(await answer.text()).toBe(script);
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('vary')).toContain('accept-encoding');
  });

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['deflate', undefined],
    ['', undefined],
    ['br;q=0', undefined],
    ['identity', undefined],
  ])('for a client that accepts "%s" is encoded as %s', async (accept, encoding) => {
    const { headers, body } = await ask(scriptPath, { headers: { 'accept-encoding': accept } });
    expect(headers['content-encoding']).toBe(encoding);
    const bytes = Buffer.from(body, 'latin1');
    expect(Number(headers['content-length'])).toBe(bytes.length);
    expect((encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()).toBe(script);
  });

  test('without variants is served uncompressed', async () => {
    const { headers, body } = await ask('/assets/plain-Cd34.css', { headers: { 'accept-encoding': 'br, gzip' } });
    expect([headers['content-encoding'], body]).toEqual([undefined, 'body{}']);
  });

  test.each(['/', scriptPath])('%s that the client has is not sent again', async (path) => {
    const { headers } = await ask(path, { headers: { 'accept-encoding': 'br' } });
    const tag = headers['etag'] ?? '';
    expect(tag).toMatch(/^"[\w-]+"$/);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await ask(path, { headers: { 'accept-encoding': 'br', 'if-none-match': known } });
      expect([known, again.status, again.body]).toEqual([known, 304, '']);
      expect(again.headers['etag']).toBe(tag);
    }
    expect((await ask(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  test('has another tag in another encoding', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (accept) => (await ask(scriptPath, { headers: { 'accept-encoding': accept } })).headers['etag']),
    );
    expect(new Set(tags).size).toBe(3);
  });

  test.each(['/', '/turns/x', scriptPath, '/assets/none.js'])('HEAD of %s is GET without the body', async (path) => {
    const [head, get] = await Promise.all([ask(path, { method: 'HEAD' }), ask(path)]);
    expect(head.body).toBe('');
    expect(head.status).toBe(get.status);
    const same = ['content-length', 'content-type', 'etag', 'cache-control', 'content-security-policy'];
    for (const name of same) expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
  });
});

test.each([
  '/assets/../secret.txt',
  '/assets/..%2f..%2fsecret.txt',
  '/assets/%2e%2e/secret.txt',
  '/assets/..\\secret.txt',
  '/assets/..%5csecret.txt',
  '/assets//etc/passwd',
  '/assets/%00',
  '/assets/main-Ab12.js%00.css',
  '/assets/main-Ab12.js.br',
  '/assets/main-Ab12.js.gz',
  '/assets/.',
  '/assets/',
  '/assets/constructor',
  '/assets/__proto__',
])('%s is not found', async (path) => {
  const { status, body } = await ask(path);
  expect([400, 404]).toContain(status);
  expect(body).not.toContain('secret');
  expect(body).not.toContain("dashboard')");
});

test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s of the page is refused', async (method) => {
  expect((await fetch(shell.url, { method })).status).toBe(404);
});

test('a page of another host or origin gets nothing', async () => {
  for (const path of ['/', scriptPath]) {
    expect((await ask(path, { headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await ask(path, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
  }
});

test('without a build, the page names the command, and a request after the build finds it', async () => {
  await using folder = await emptyFolder();
  const dashboard = createDashboard({ folder: folder.folder });
  const get = (path: string): Promise<Response> => dashboard.fetch(new Request(`http://localhost${path}`), path);
  const before = await get('/');
  expect([before.status, before.headers.get('cache-control')]).toEqual([503, 'no-store']);
  expect(await before.text()).toContain('npm run build:dashboard');
  expect((await get('/assets/main.js')).status).toBe(404);
  await folder.write('index.html', page);
  expect(await (await get('/')).text()).toBe(page);
});

test('a new build is served without a restart', async () => {
  await using folder = await builtFolder();
  const dashboard = createDashboard({ folder: folder.folder });
  const get = (path: string): Promise<Response> => dashboard.fetch(new Request(`http://localhost${path}`), path);
  expect((await get(scriptPath)).status).toBe(200);
  await rm(join(folder.folder, scriptPath));
  await folder.write('assets/main-Zz99.js', 'new');
  await folder.write('index.html', 'new page');
  await utimes(join(folder.folder, 'index.html'), 2_000_000_000, 2_000_000_000);
  expect(await (await get('/')).text()).toBe('new page');
  expect(await (await get('/assets/main-Zz99.js')).text()).toBe('new');
  expect((await get(scriptPath)).status).toBe(404);
});

test('only files of the dashboard are served: no folders, no other types', async () => {
  await using folder = await builtFolder();
  await mkdir(join(folder.folder, 'assets/inner'));
  await folder.write('assets/inner/deep.js', 'deep');
  await folder.write('assets/notes.txt', 'notes');
  const dashboard = createDashboard({ folder: folder.folder });
  for (const path of ['/assets/inner', '/assets/inner/deep.js', '/assets/notes.txt'])
    expect([path, (await dashboard.fetch(new Request(`http://localhost${path}`), path)).status]).toEqual([path, 404]);
});

test('only GET and HEAD are public', () => {
  for (const path of [...pages, scriptPath]) {
    expect([path, isDashboard('GET', path), isDashboard('HEAD', path)]).toEqual([path, true, true]);
    expect([path, isDashboard('POST', path), isDashboard('OPTIONS', path)]).toEqual([path, false, false]);
  }
  for (const path of ['/v1/overview', '/mcp', '/metrics', '/openapi.json', '/v1/turns/x', '/openai/v1', '//', '/assets'])
    expect([path, isDashboard('GET', path)]).toEqual([path, false]);
});

test('a gateway as a library has no dashboard by default; the installed one is found', async () => {
  const bare = await createGateway(readWords(words, 'holdfast.yaml'), { log: 'off' });
  const { url } = await bare.listen({ port: 0 });
  expect((await fetch(url)).status).toBe(404);
  await bare.close(0);
  expect(installedDashboard()?.folder).toMatch(/dashboard[/\\]dist$/);
});
