/** A gateway that lets nobody in without a token: the page is there, says what it needs, and works once it has it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { accessibilityProblems, launchBrowser, openPage } from './support/browser.ts';
import { startWorld, type World } from './support/world.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const token = 'token-of-the-only-client';
const manifest = `
version: 1
gateway:
  tokens: [{ name: only, env: ONLY_TOKEN }]
tools:
  - id: greet
    run: { module: ./greet.mjs, export: greet }
    effect: read
`;

let folder: string;
let world: World;
let browser: Browser;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-token-'));
  writeFileSync(join(folder, 'holdfast.yaml'), manifest);
  writeFileSync(join(folder, 'greet.mjs'), `export const greet = () => 'hello';\n`);
  [world, browser] = await Promise.all([startWorld({ folder, env: { ONLY_TOKEN: token } }), launchBrowser()]);
});
afterAll(async () => {
  await Promise.all([world.close(), browser.close()]);
  rmSync(folder, { recursive: true, force: true });
});

test('a wrong token, then the right one, by hand', async () => {
  const { page, complaints, close } = await openPage(browser);
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  await page.goto(world.url);
  await page.getByText('This gateway wants a token.').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  const give = async (text: string): Promise<void> => {
    await page.getByLabel('Token').fill(text);
    const loaded = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Use it' }).click();
    await loaded;
  };
  await give('a-wrong-token');
  await page.getByText('This gateway wants a token.').waitFor();
  await give(token);
  await page.locator('[data-tool="greet"]').waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  expect(await page.getByText('This gateway wants a token.').count()).toBe(0);

  await page.reload();
  await page.locator('[data-tool="greet"]').waitFor();
  expect(asked.filter((url) => url.includes(token))).toEqual([]);
  expect(complaints().filter((text) => !text.includes('status of 401'))).toEqual([]);
  await close();
});

test('the token of the address is taken out of it and never sent in an address', async () => {
  const { page, complaints, close } = await openPage(browser);
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  await page.goto(`${world.url}/tools/greet?range=6h#token=${token}`);
  await page.getByRole('heading', { level: 1, name: 'greet' }).waitFor();
  await page.getByText('No attempt of this tool has failed.').waitFor();
  expect(page.url()).toBe(`${world.url}/tools/greet?range=6h`);
  expect(asked.filter((url) => url.split('#')[0]?.includes(token))).toEqual([]);
  expect(complaints()).toEqual([]);
  await close();
});
