/** The built page in a real browser: its figures, its link, its texts, its calls; on a desktop and on a phone. */
import { execFile } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { compare, scenarios } from '@holdfast/simulate';
import { contenderNamed } from '@holdfast/simulate/peers';
import { comparisonData } from '@holdfast/simulate/report';
import { scenarioNames } from '../../src/lab/stories.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const vite = join(import.meta.dirname, '../../../../node_modules/vite/bin/vite.js');
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
/** Nothing but the page's own files, and no code from text. */
const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

let dist: string;
let server: Server;
let browser: Browser;
let address: string;

beforeAll(async () => {
  dist = mkdtempSync(join(tmpdir(), 'holdfast-playground-'));
  // In a process of its own: this one has the NODE_ENV of tests.
  await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', dist, '--logLevel', 'error'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, NODE_ENV: 'production' },
  });
  server = createServer((request, response) => {
    const path = join(dist, new URL(request.url ?? '/', 'http://localhost').pathname.replace(/\/$/u, '/index.html'));
    if (!existsSync(path) || !statSync(path).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain', 'content-security-policy': policy });
    return createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  browser = await chromium.launch({
    executablePath: process.env['HOLDFAST_CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
});
afterAll(async () => {
  await browser.close();
  await new Promise((resolve) => server.close(resolve));
  rmSync(dist, { recursive: true });
});

interface Opened {
  readonly page: Page;
  readonly problems: readonly string[];
}

async function open(fragment: string, width = 1280): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') problems.push(line.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith('data:')) problems.push(`requests ${request.url()}`);
  });
  await page.goto(`${address}#${fragment}`);
  return { page, problems };
}

/** The lines under "Reproduce", once they are those of a world and all its policies. */
async function figuresOf(page: Page, world: string, policies: number): Promise<readonly unknown[]> {
  await page.waitForFunction(
    ([name, count]) => {
      const lines = (document.querySelector('#data')?.textContent ?? '').trim().split('\n');
      return lines.length === count && lines.every((line) => line.startsWith(`{"world":${JSON.stringify(name)},`));
    },
    [world, policies] as const,
    { timeout: 120_000 },
  );
  return ((await page.textContent('#data')) ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

test('the figures of worlds and seeds are those of the command line, to the last digit', async () => {
  const names = scenarioNames.filter((_, index) => index % 5 === 0);
  const { page, problems } = await open('p=adaptive&k=1&w=nominal&s=start');
  await figuresOf(page, 'nominal', 1);
  for (const [index, name] of names.entries()) {
    const other = index % 2 === 0 ? 'none' : 'peer:polly';
    const seed = `digit ${index}`;
    // oxlint-disable-next-line no-await-in-loop -- one page
    await page.evaluate((hash) => void (location.hash = hash), `w=${name}&p=adaptive,${other}&k=1&s=${seed}`);
    // The page computes meanwhile.
    const contenders = ['adaptive', other].flatMap((each) => contenderNamed(each) ?? []);
    const expected = compare([scenarios[name]], contenders, [seed]).map((each) => comparisonData(each) as unknown);
    // oxlint-disable-next-line no-await-in-loop
    await page.waitForFunction((text) => document.querySelector('#data')?.textContent?.includes(text), `"seeds":["${seed}"]`, {
      timeout: 120_000,
    });
    // oxlint-disable-next-line no-await-in-loop
    expect(await figuresOf(page, scenarios[name].name, 2)).toEqual(JSON.parse(JSON.stringify(expected)));
  }
  expect(problems).toEqual([]);
});

test('a choice is in the address, and the address restores it', async () => {
  const { page, problems } = await open('w=outage&p=none&k=1');
  await figuresOf(page, 'outage', 1);
  await page.getByRole('button', { name: /^Flapping/u }).click();
  await page.getByRole('button', { name: 'cockatiel', exact: true }).click();
  const first = await figuresOf(page, 'flapping', 2);
  expect(new URL(page.url()).hash).toBe('#w=flapping&p=none%2Cpeer%3Acockatiel&k=1');
  const again = await open(new URL(page.url()).hash.slice(1));
  expect(await figuresOf(again.page, 'flapping', 2)).toEqual(first);
  expect([...problems, ...again.problems]).toEqual([]);
});

test('texts: problems by line, the last figures stay, and suggestions are inserted', async () => {
  const { page, problems } = await open('w=lone_agent&p=none,own&k=1');
  const before = await figuresOf(page, 'lone_agent', 2);
  const editor = page.getByLabel(/^Your policy/u);
  await editor.fill('defaults:\n  retry_policy: { max_atempts: 2 }\n');
  await page.getByText('Line 2, column 19').waitFor();
  expect(await page.getByText('Did you mean max_attempts?').count()).toBe(1);
  expect(await figuresOf(page, 'lone_agent', 2)).toEqual(before);
  await editor.fill('pro');
  await editor.press('End');
  await editor.press('Control+Space');
  await page.getByRole('button', { name: /^profile:/u }).click();
  expect(await editor.inputValue()).toBe('profile: ');
  await editor.pressSequentially('adapt');
  await page.getByRole('button', { name: 'adaptive', exact: false }).last().waitFor();
  await page.getByRole('button', { name: 'Edit as YAML' }).click();
  const world = page.getByLabel(/^World \(/u);
  expect(await world.inputValue()).toContain('services:');
  expect(problems).toEqual([]);
});

test('shows the turns of a second as waterfalls with their decisions', async () => {
  const { page, problems } = await open('w=outage&p=adaptive&k=1');
  await figuresOf(page, 'outage', 1);
  await page.getByRole('button', { name: 'Show with adaptive' }).click();
  await page.locator('.waterfall svg rect').first().waitFor({ timeout: 120_000 });
  expect(await page.locator('.decisions li').count()).toBeGreaterThan(0);
  const turns = page.getByRole('group', { name: /^Turns that began in second \d+ with adaptive$/u }).getByRole('button');
  expect(await turns.count()).toBeGreaterThan(1);
  await turns.nth(1).click();
  expect(await turns.nth(1).getAttribute('aria-pressed')).toBe('true');
  expect(problems).toEqual([]);
});

test.each([360, 1280])('is accessible and not wider than a window of %d pixels', async (width) => {
  const { page, problems } = await open('w=outage&p=none,own&k=1', width);
  await figuresOf(page, 'outage', 2);
  for (const scheme of ['light', 'dark'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one page
    await page.emulateMedia({ colorScheme: scheme });
    // oxlint-disable-next-line no-await-in-loop
    await page.evaluate(axe.source);
    // oxlint-disable-next-line no-await-in-loop
    const violations = await page.evaluate(async () => {
      const { violations: found } = await (globalThis as unknown as { readonly axe: typeof axe }).axe.run(document);
      return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    });
    expect({ scheme, violations }).toEqual({ scheme, violations: [] });
  }
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  expect(content).toBeLessThanOrEqual(window ?? 0);
  expect(problems.filter((each) => !each.includes('Content Security Policy'))).toEqual([]);
});

test('all that the page can load takes at most 300 kB, compressed', () => {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(dist, name)).isFile());
  const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(dist, name)), { level: 9 }).length, 0);
  expect(bytes).toBeLessThanOrEqual(300_000);
});
