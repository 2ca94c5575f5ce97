/** The overview, the page of a tool and the failures in a real browser: what is live, what is kept in the address, what may be done, what happens without a gateway. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { launchBrowser, openPage } from './support/browser.ts';
import { operatorToken, startWorld, type World } from './support/world.ts';
import { runTurns, turns } from './world/traffic.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const some = turns.filter(({ turn_id: id }) => /^(docs-[1-3]|trip-\d|flight-1|rude-1)$/u.test(id));

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([startWorld(), launchBrowser()]);
  await runTurns(world.url, some);
});
afterAll(async () => {
  await Promise.all([world.close(), browser.close()]);
});

const tileOf = (page: Page, name: string) => page.locator(`[data-tool="${name}"]`);
const live = (page: Page) => page.getByRole('banner').getByText('live', { exact: true }).waitFor();

test('calls are counted while one looks, and the order is in the address', async () => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(world.url);
  const tile = tileOf(page, 'search_docs');
  await tile.waitFor();
  await live(page);
  const before = Number(await tile.getAttribute('data-calls'));
  await runTurns(world.url, [{ turn_id: 'one-more', calls: [{ call_id: 'only', tool_id: 'search_docs', arguments: { query: 'live' } }] }]);
  await page.locator(`[data-tool="search_docs"][data-calls="${before + 1}"]`).waitFor();
  await page.getByText('one-more').first().waitFor();

  await page.getByRole('searchbox').fill('search');
  await page.getByRole('combobox', { name: 'Order' }).selectOption('name');
  await page.getByText('Rows', { exact: true }).click();
  await page.waitForURL(/view=rows/u);
  const names = await page.locator('[data-tool]').evaluateAll((tiles) => tiles.map((each) => each.getAttribute('data-tool')));
  expect(names).toEqual(['flight_search', 'hotel_search', 'search_docs']);
  await page.reload();
  await tile.waitFor();
  expect(await page.locator('[data-tool]').count()).toBe(3);
  expect(new URL(page.url()).search).toBe('?q=search&sort=name&view=rows');
  expect(complaints()).toEqual([]);
  await close();
});

test('without a pointing device: to the tool, its changes, and back', async () => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(world.url);
  await tileOf(page, 'flight_search').waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('To the content');
  await tileOf(page, 'flight_search').getByRole('link').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'flight_search' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  expect(await page.title()).toBe('flight_search · Holdfast');

  const change = page.getByRole('button', { name: /Opened: too many transient failures/u });
  await change.first().focus();
  await page.keyboard.press('Space');
  await page.waitForURL(/change=\d/u);
  expect(await change.first().getAttribute('aria-pressed')).toBe('true');
  expect(await page.locator('[data-counted="true"]').count()).toBeGreaterThanOrEqual(5);
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expect(complaints()).toEqual([]);
  await close();
});

test('who may not act is told why', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${world.url}/tools/hotel_search`);
  const control = page.getByRole('button', { name: 'Control the circuit' });
  await control.waitFor();
  await expect.poll(() => control.getAttribute('title')).toMatch(/no token/u);
  await control.click({ force: true });
  expect(await page.getByRole('dialog').count()).toBe(0);
  await close();
});

test('a circuit is held open and let go, after it was confirmed', async () => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(`${world.url}/tools/hotel_search#token=${operatorToken}`);
  const control = page.getByRole('button', { name: 'Control the circuit' });
  await control.waitFor();
  expect(page.url()).not.toContain('token');
  await expect.poll(() => control.getAttribute('aria-disabled')).toBeNull();

  await control.click();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Control the circuit');

  await control.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Hold it open').first().click();
  await dialog.getByRole('button', { name: 'Hold it open' }).click();
  await page.getByText('held open').first().waitFor();
  const refused = await fetch(`${world.url}/v1/tools/hotel_search`).then((response) => response.json());
  expect(refused).toMatchObject({ health: { mode: 'forced_open' } });

  await control.click();
  await dialog.getByText('Let it work by itself').first().click();
  await dialog.getByRole('button', { name: 'Let it work by itself' }).click();
  await expect.poll(() => page.getByText('held open').count()).toBe(0);
  expect(complaints()).toEqual([]);
  await close();
});

test('a failure leads to its example, and text of a tool stays text', async () => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(`${world.url}/failures?q=rude`);
  const cluster = page.locator('[data-signature]').first();
  await cluster.getByRole('link').first().click();
  await page.getByText('⟨U+202E⟩').first().waitFor();
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  expect(await page.title()).not.toContain('taken over');
  await page.getByRole('link', { name: 'only of rude-1' }).click();
  await page.waitForURL(/\/turns\/rude-1\?call=only/u);
  expect(complaints()).toEqual([]);
  await close();
});

test('colours are chosen and kept', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${world.url}/tools`);
  await page.getByRole('button', { name: /^Colours: as the system/u }).click();
  await page.getByRole('button', { name: /^Colours: light/u }).click();
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  expect(await scheme()).toBe('dark');
  await page.reload();
  await page.getByRole('button', { name: /^Colours: dark/u }).waitFor();
  expect(await scheme()).toBe('dark');
  await close();
});

test('a page that is not seen keeps no stream open', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(world.url);
  await live(page);
  const hide = (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/v1/live'));
  await hide(true);
  await ended;
  await page.getByText('paused', { exact: true }).waitFor();
  const resumed = page.waitForRequest((request) => /\/v1\/live\?after=.+/u.test(request.url()));
  await hide(false);
  await resumed;
  await live(page);
  await close();
});

test('without a gateway the last picture stays, and comes to life again with it', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(world.url);
  await live(page);
  await world.stop();
  await page.getByText('The gateway does not answer.').waitFor();
  expect(await tileOf(page, 'flight_search').count()).toBe(1);
  await world.restart();
  await live(page);
  expect(await page.getByText('The gateway does not answer.').count()).toBe(0);
  await runTurns(world.url, [{ turn_id: 'after', calls: [{ call_id: 'only', tool_id: 'search_docs', arguments: { query: 'again' } }] }]);
  await page.getByText('after', { exact: true }).first().waitFor();
  await close();
});
