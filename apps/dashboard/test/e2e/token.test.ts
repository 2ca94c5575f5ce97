/** A gateway that requires a token: the page loads, asks for the token, and then works. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { accessibilityProblems, launchBrowser, openPage } from './support/browser.ts';
import { startGateway, type TestGateway } from './support/gateway.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const token = 'token-of-the-client';
const manifest = `
version: 1
gateway:
  tokens: [{ name: client, env: CLIENT_TOKEN }]
tools:
  - id: greet
    run: { module: ./greet.mjs, export: greet }
    effect: read
`;

let folder: string;
let gateway: TestGateway;
let browser: Browser;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-token-'));
  writeFileSync(join(folder, 'holdfast.yaml'), manifest);
  writeFileSync(join(folder, 'greet.mjs'), `export const greet = () => 'hello';\n`);
  [gateway, browser] = await Promise.all([startGateway({ folder, env: { CLIENT_TOKEN: token } }), launchBrowser()]);
});
afterAll(async () => {
  await Promise.all([gateway.close(), browser.close()]);
  rmSync(folder, { recursive: true, force: true });
});

test('entering a wrong token, then the right one', async () => {
  const { page, problems, close } = await openPage(browser);
  const requestUrls: string[] = [];
  page.on('request', (request) => void requestUrls.push(request.url()));
  await page.goto(gateway.url);
  await page.getByText('This gateway requires a token.').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  const submitToken = async (text: string): Promise<void> => {
    await page.getByLabel('Token').fill(text);
    const loaded = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Use token' }).click();
    await loaded;
  };
  await submitToken('a-wrong-token');
  await page.getByText('This token is not valid.').waitFor();
  expect(await page.getByText('This gateway requires a token.').count()).toBe(0);
  await submitToken(token);
  await page.locator('[data-tool="greet"]').waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  expect(await page.getByText('This token is not valid.').count()).toBe(0);
  await page.getByTitle('You act as client').waitFor();

  await page.reload();
  await page.locator('[data-tool="greet"]').waitFor();
  expect(requestUrls.filter((url) => url.includes(token))).toEqual([]);
  expect(problems().filter((text) => !text.includes('status of 401'))).toEqual([]);
  await close();
});

test('the token is removed from the URL and never sent in a URL', async () => {
  const { page, problems, close } = await openPage(browser);
  const requestUrls: string[] = [];
  page.on('request', (request) => void requestUrls.push(request.url()));
  await page.goto(`${gateway.url}/tools/greet?range=6h#token=${token}`);
  await page.getByRole('heading', { level: 1, name: 'greet' }).waitFor();
  await page.getByText('No failed attempts.').waitFor();
  expect(page.url()).toBe(`${gateway.url}/tools/greet?range=6h`);
  expect(requestUrls.filter((url) => url.split('#')[0]?.includes(token))).toEqual([]);
  expect(problems()).toEqual([]);
  await close();
});
