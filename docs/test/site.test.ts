/** The site builds, has no dead link, and works in a browser: first page, search, dark mode, a phone. Without the API pages, which take as long as all others. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveLink } from '../site/links.ts';
import { listed } from '../site/navigation.ts';
import { sitePath } from '../site/sources.ts';
import { root } from './pages.ts';

const output = join(root, 'reports/site-test');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** As a static host: the files as they are. */
function serveFiles(): Server {
  return createServer((request, response) => {
    const path = join(output, decodeURI(new URL(request.url ?? '/', 'http://host').pathname));
    const file = [path, join(path, 'index.html')].find((each) => existsSync(each) && statSync(each).isFile());
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': types[extname(file ?? '')] ?? 'application/octet-stream' });
    response.end(file === undefined ? '' : readFileSync(file));
  });
}

const server = serveFiles();
let browser: Browser;
let base = '';

beforeAll(async () => {
  const vitepress = join(root, 'node_modules/vitepress/bin/vitepress.js');
  const env = { ...process.env, HOLDFAST_SITE_API: 'off', HOLDFAST_SITE_OUT: output, NODE_OPTIONS: '' };
  const built = promisify(execFile)(process.execPath, [vitepress, 'build', 'docs'], { cwd: root, env });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await chromium.launch({
    executablePath: process.env['HOLDFAST_CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  await built;
}, 300_000);

afterAll(async () => {
  await browser.close();
  server.close();
});

interface Visit {
  readonly page: Page;
  /** Errors and warnings of the console, and requests that left this machine or failed. */
  readonly problems: readonly string[];
}

async function visit(path: string, { width = 1280, colorScheme = 'light' as 'light' | 'dark' } = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') problems.push(line.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith('data:')) problems.push(`leaves: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
  });
  await page.goto(`${base}${path}`, { waitUntil: 'networkidle' });
  return { page, problems };
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

test('the first page says what it is, and leads to the start', async () => {
  const { page, problems } = await visit('/');
  expect(await page.title()).toBe('Holdfast');
  await page.getByRole('link', { name: 'with the library' }).click();
  await page.waitForURL('**/start/library.html');
  await page.getByRole('heading', { name: 'Start with the library' }).waitFor();
  expect(problems).toEqual([]);
});

test('search finds a page', async () => {
  const { page, problems } = await visit('/');
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.getByRole('searchbox').fill('duplicate idempotency key');
  const found = page.getByRole('option').filter({ hasText: 'called twice' }).first();
  await found.waitFor();
  await found.click();
  await page.waitForURL('**/how-to/called-twice.html**');
  expect(problems).toEqual([]);
});

test('dark mode follows the system and can be switched', async () => {
  const { page, problems } = await visit('/concepts/retry.html', { colorScheme: 'dark' });
  const isDark = (): Promise<boolean> => page.evaluate<boolean>("document.documentElement.classList.contains('dark')");
  expect(await isDark()).toBe(true);
  await page.getByRole('switch').first().click();
  expect(await isDark()).toBe(false);
  expect(problems).toEqual([]);
});

test.each(['/', '/start/library.html', '/reference/options.html', '/comparison.html'])(
  '%s fits on a phone, and the menu opens',
  async (path) => {
    const { page, problems } = await visit(path, { width: 360 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'mobile navigation' }).click();
    await page.getByRole('link', { name: 'Reference' }).first().waitFor();
    expect(problems).toEqual([]);
  },
);

describe('pages', () => {
  test('every page of the documentation is in the navigation', () => {
    const inFolders = (path: string): boolean => !/^docs\/(?:lab|decisions)\//u.test(path);
    const pages = globSync('docs/**/*.md', { cwd: root, exclude: (path) => path.includes('node_modules') }).filter(inFolders);
    expect(pages.filter((path) => !listed.includes(path))).toEqual([]);
    expect(listed.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('addresses are short, and links follow them', () => {
    expect(['docs/README.md', 'docs/lab/README.md', 'packages/stores/sqlite/README.md', 'CHANGELOG.md'].map(sitePath)).toEqual([
      'index.md',
      'lab/index.md',
      'packages/sqlite.md',
      'changelog.md',
    ]);
    const options = { root, pages: new Set(['docs/quality.md', 'quality/bench/README.md']), repository: 'https://example.com/holdfast' };
    const resolve = (link: string): string | undefined => resolveLink(link, 'docs/concepts/retry.md', options);
    expect(resolve('../quality.md#mutation')).toBe('../quality.md#mutation');
    expect(resolve('../../quality/bench/README.md')).toBe('../benchmarks/index.md');
    expect(resolve('https://example.com/holdfast/blob/main/docs/quality.md')).toBe('../quality.md');
    expect(resolve('https://example.com/other')).toBe('https://example.com/other');
    expect(resolve('../../package.json')).toBe('https://example.com/holdfast/blob/main/package.json');
    expect(resolveLink('../../package.json', 'docs/concepts/retry.md', { ...options, repository: undefined })).toBeUndefined();
    expect(() => resolve('../no-such-page.md')).toThrow('docs/concepts/retry.md: the link ../no-such-page.md leads nowhere.');
  });
});
