/** The overview, tool and failure screens in a real browser: live updates, state in the URL, operator actions, and a stopped gateway. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { launchBrowser, openPage } from './support/browser.ts';
import { operatorToken, startGateway, type TestGateway } from './support/gateway.ts';
import { runTurns, turns } from './gateway/traffic.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const selectedTurns = turns.filter(({ turn_id: id }) => /^(docs-[1-3]|trip-\d|flight-1|injection-1)$/u.test(id));

let gateway: TestGateway;
let browser: Browser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startGateway(), launchBrowser()]);
  await runTurns(gateway.url, selectedTurns);
});
afterAll(async () => {
  await Promise.all([gateway.close(), browser.close()]);
});

const tileOf = (page: Page, name: string) => page.locator(`[data-tool="${name}"]`);
const waitForLive = (page: Page) => page.getByRole('banner').getByText('live', { exact: true }).waitFor();

test('calls are counted live, and the order is in the URL', async () => {
  const { page, problems, close } = await openPage(browser);
  await page.goto(gateway.url);
  const tile = tileOf(page, 'search_docs');
  await tile.waitFor();
  await waitForLive(page);
  const before = Number(await tile.getAttribute('data-calls'));
  await runTurns(gateway.url, [
    { turn_id: 'one-more', calls: [{ call_id: 'only', tool_id: 'search_docs', arguments: { query: 'live' } }] },
  ]);
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
  expect(problems()).toEqual([]);
  await close();
});

test('keyboard navigation to a tool, its changes, and back', async () => {
  const { page, problems, close } = await openPage(browser);
  await page.goto(gateway.url);
  await tileOf(page, 'flight_search').waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
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
  expect(problems()).toEqual([]);
  await close();
});

test('actions without a token are disabled, with a reason', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${gateway.url}/tools/hotel_search`);
  const control = page.getByRole('button', { name: 'Control circuit' });
  await control.waitFor();
  await expect.poll(() => control.getAttribute('title')).toMatch(/no operator token/u);
  await control.click({ force: true });
  expect(await page.getByRole('dialog').count()).toBe(0);
  await close();
});

test('a circuit is forced open and returned to automatic', async () => {
  const { page, problems, close } = await openPage(browser);
  await page.goto(`${gateway.url}/tools/hotel_search#token=${operatorToken}`);
  const control = page.getByRole('button', { name: 'Control circuit' });
  await control.waitFor();
  expect(page.url()).not.toContain('token');
  await expect.poll(() => control.getAttribute('aria-disabled')).toBeNull();

  await control.click();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Control circuit');

  await control.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Force open').first().click();
  await dialog.getByRole('button', { name: 'Force open' }).click();
  await page.getByText('forced open').first().waitFor();
  const tool = await fetch(`${gateway.url}/v1/tools/hotel_search`).then((response) => response.json());
  expect(tool).toMatchObject({ health: { mode: 'forced_open' } });

  await control.click();
  await dialog.getByText('Return to automatic').first().click();
  await dialog.getByRole('button', { name: 'Return to automatic' }).click();
  await expect.poll(() => page.getByText('forced open').count()).toBe(0);
  expect(problems()).toEqual([]);
  await close();
});

test('a failure links to its example, and tool output is shown as text', async () => {
  const { page, problems, close } = await openPage(browser);
  await page.goto(`${gateway.url}/failures?q=injection`);
  const cluster = page.locator('[data-signature]').first();
  await cluster.getByRole('link').first().click();
  await page.getByText('⟨U+202E⟩').first().waitFor();
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  expect(await page.title()).not.toContain('taken over');
  await page.getByRole('link', { name: 'only of injection-1' }).click();
  await page.waitForURL(/\/turns\/injection-1\?call=only/u);
  expect(problems()).toEqual([]);
  await close();
});

test('the theme is switched and kept', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${gateway.url}/tools`);
  await page.getByRole('button', { name: /^Theme: system/u }).click();
  await page.getByRole('button', { name: /^Theme: light/u }).click();
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  expect(await scheme()).toBe('dark');
  await page.reload();
  await page.getByRole('button', { name: /^Theme: dark/u }).waitFor();
  expect(await scheme()).toBe('dark');
  await close();
});

test('a hidden page closes its stream', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(gateway.url);
  await waitForLive(page);
  const setHidden = (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/v1/live'));
  await setHidden(true);
  await ended;
  await page.getByText('paused', { exact: true }).waitFor();
  const resumed = page.waitForRequest((request) => /\/v1\/live\?after=.+/u.test(request.url()));
  await setHidden(false);
  await resumed;
  await waitForLive(page);
  await close();
});

test('the last data stays while the gateway is stopped, and updates continue after its restart', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(gateway.url);
  await waitForLive(page);
  await gateway.stop();
  await page.getByText('The gateway does not respond.').waitFor();
  expect(await tileOf(page, 'flight_search').count()).toBe(1);
  await gateway.restart();
  await waitForLive(page);
  expect(await page.getByText('The gateway does not respond.').count()).toBe(0);
  await runTurns(gateway.url, [{ turn_id: 'after', calls: [{ call_id: 'only', tool_id: 'search_docs', arguments: { query: 'again' } }] }]);
  await page.getByText('after', { exact: true }).first().waitFor();
  await close();
});
