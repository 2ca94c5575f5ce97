/** The screen of alerts, by keyboard and by mouse: what fires, who looks after it, what is kept quiet, who is told. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { accessibilityProblems, expectNoSidewaysScrolling, launchBrowser, openPage, type WatchedPage, widths } from './support/browser.ts';
import { operatorToken, startWorld, type World } from './support/world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let world: World;
let browser: Browser;
let receiver: Server;

beforeAll(async () => {
  receiver = createServer((_incoming, outgoing) => void outgoing.end('ok')).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  [world, browser] = await Promise.all([
    startWorld({ folder: join(import.meta.dirname, 'alerts-world'), env: { RECEIVER: address } }),
    launchBrowser(),
  ]);
  for (const tool of ['search', 'weather']) {
    await fetch(`${world.url}/v1/calls`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tool_id: tool, arguments: {} }),
    });
  }
});
afterAll(async () => {
  await Promise.all([world.close(), browser.close()]);
  receiver.closeAllConnections();
  receiver.close();
});

/** What was silenced in one test is not in the next. */
beforeEach(async () => {
  const headers = { authorization: `Bearer ${operatorToken}` };
  const { silences } = (await (await fetch(`${world.url}/v1/alerts`)).json()) as { silences: { id: string }[] };
  for (const { id } of silences) await fetch(`${world.url}/v1/silences/${id}`, { method: 'DELETE', headers });
});

const card = (page: Page, rule: string): Locator => page.locator(`[data-alert="${rule}"]`);

async function open(path = '/alerts', token = true): Promise<WatchedPage> {
  const watched = await openPage(browser);
  await watched.page.goto(`${world.url}${path}${token ? `#token=${operatorToken}` : ''}`);
  await card(watched.page, 'CircuitOpen').waitFor();
  return watched;
}

/** Presses Tab until the element has the focus. It is looked for anew when it was drawn anew: to find it takes longer than to press a key. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  let element = await target.elementHandle();
  for (let presses = 0; presses < 60; presses += 1) {
    if (!(await element?.evaluate(({ isConnected }) => isConnected))) element = await target.elementHandle();
    if (await element?.evaluate((each) => each === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not come to ${String(target)}`);
}

const done = (page: Page, words: string): Promise<void> => page.getByRole('status').getByText(words).waitFor({ state: 'attached' });

test('what fires says what, since when, and where to look', async () => {
  const { page, complaints, close } = await open();
  const circuit = card(page, 'CircuitOpen');
  expect(await circuit.textContent()).toMatch(/firing.*critical.*fired.*Circuit breaker of search is open/s);
  expect(await card(page, 'ResponseInvalid').textContent()).toContain('weather');
  await circuit.getByRole('link', { name: 'Tool search' }).waitFor();
  const href = await circuit.getByRole('link', { name: /last call/ }).getAttribute('href');
  expect(href).toMatch(/^\/turns\/.+\?call=/);
  expect(complaints()).toEqual([]);
  await close();
});

test('by keyboard alone: acknowledge, then silence', async () => {
  const { page, complaints, close } = await open();
  const circuit = card(page, 'CircuitOpen');
  await tabTo(page, circuit.getByRole('button', { name: /^Acknowledge/ }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Acknowledge' });
  await dialog.waitFor();
  await tabTo(page, dialog.getByLabel('Comment'));
  await page.keyboard.type('I look after it');
  await tabTo(page, dialog.getByRole('button', { name: 'Acknowledge' }));
  await page.keyboard.press('Enter');
  await done(page, 'Acknowledged: Circuit breaker of search is open.');
  await page.locator('[data-alert="CircuitOpen"][data-group="acknowledged"]').waitFor();
  expect(await circuit.textContent()).toContain('operator looks after it: I look after it');

  await tabTo(page, circuit.getByRole('button', { name: /^Silence/ }));
  await page.keyboard.press('Enter');
  const silencing = page.getByRole('dialog', { name: 'Silence alerts' });
  await silencing.waitFor();
  expect(await silencing.textContent()).toContain('Covers 1 of');
  await tabTo(page, silencing.getByRole('button', { name: 'Silence', exact: true }));
  await page.keyboard.press('Enter');
  await silencing.getByText('Say why, for those who come after you.').waitFor();
  await tabTo(page, silencing.getByLabel('Comment'));
  await page.keyboard.type('maintenance');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowDown');
  await tabTo(page, silencing.getByRole('button', { name: 'Silence', exact: true }));
  await page.keyboard.press('Enter');
  await page.locator('[data-alert="CircuitOpen"][data-group="quiet"]').waitFor();
  expect(await circuit.textContent()).toContain('Silenced by operator: maintenance');
  expect(complaints()).toEqual([]);
  await close();
});

test('a silence of many, with a pattern, is listed and ended', async () => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(`${world.url}/alerts?tab=silences#token=${operatorToken}`);
  await page.getByRole('button', { name: 'New silence' }).click();
  const dialog = page.getByRole('dialog', { name: 'Silence alerts' });
  await dialog.getByLabel('Label').fill('tool');
  await dialog.getByLabel('How', { exact: true }).selectOption('=~');
  await dialog.getByLabel('Value').fill('(');
  await dialog.getByLabel('Comment').fill('work on the network');
  await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
  await dialog.getByText('This is no regular expression.').waitFor();
  await dialog.getByLabel('Value').fill('sea.*|weather');
  await dialog.getByText(/^Covers [2-9] of/).waitFor();
  await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
  const entry = page.locator('[data-silence="active"]');
  await entry.waitFor();
  expect(await entry.textContent()).toContain('tool =~ "sea.*|weather"');
  expect(await entry.textContent()).toContain('work on the network');
  await entry.getByRole('button', { name: /^End the silence/ }).click();
  await done(page, 'Ended the silence: work on the network.');
  await entry.waitFor({ state: 'detached' });
  expect(complaints()).toEqual([]);
  await close();
});

test('receivers are tested, and what came of it is in the log', async () => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(`${world.url}/alerts?tab=receivers#token=${operatorToken}`);
  await page.getByRole('button', { name: 'Send a test to operators' }).click();
  await done(page, 'The test was delivered to operators.');
  await page.getByRole('button', { name: 'Send a test to nobody' }).click();
  await page
    .getByText(/NOT_SET is not set/)
    .first()
    .waitFor();
  // Alerts that fire meanwhile are told to it, too.
  const row = page
    .getByRole('table', { name: 'Deliveries' })
    .getByRole('row', { name: /nobody/ })
    .filter({ hasText: 'a test' });
  await row.first().waitFor();
  expect(await row.first().textContent()).toMatch(/a test.*failed/s);
  await page.getByRole('tab', { name: /^Now/ }).focus();
  await page.keyboard.press('End');
  await page.getByRole('table', { name: 'What happened to alerts' }).getByText('CircuitOpen').first().waitFor();
  expect(new URL(page.url()).searchParams.get('tab')).toBe('history');
  await page.goBack();
  await page.getByRole('button', { name: 'Send a test to nobody' }).waitFor();
  expect(complaints()).toEqual([]);
  await close();
});

test('anyone who has no token is told why nothing can be done', async () => {
  const { page, complaints, close } = await open('/alerts', false);
  const button = card(page, 'CircuitOpen').getByRole('button', { name: /^Silence/ });
  expect(await button.getAttribute('aria-disabled')).toBe('true');
  expect(await button.getAttribute('title')).toContain('no token');
  await button.focus();
  await page.keyboard.press('Enter');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(complaints()).toEqual([]);
  await close();
});

test('the address of an alert leads to it', async () => {
  const { alerts } = (await (await fetch(`${world.url}/v1/alerts`)).json()) as { alerts: { name: string; fingerprint: string }[] };
  const fingerprint = alerts.find(({ name }) => name === 'ResponseInvalid')?.fingerprint ?? '';
  const { page, close } = await open(`/alerts?alert=${fingerprint}`);
  expect(await page.locator('[aria-current="true"][data-alert]').getAttribute('data-alert')).toBe('ResponseInvalid');
  await page.goto(`${world.url}/alerts?alert=0000000000000000`);
  await page.getByText('The alert of this address is over.').waitFor();
  await close();
});

/** The first tab is looked at with the other screens. */
const places = ['silences', 'rules', 'receivers', 'history'] as const;

test.each(places)('%s: at every width, light and dark, by axe, under the policy', async (tab) => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(`${world.url}/alerts?tab=${tab}#token=${operatorToken}`);
  await page.getByRole('tabpanel').waitFor();
  if (tab === 'silences') {
    await page.getByRole('button', { name: 'New silence' }).click();
    await page.getByRole('dialog').waitFor();
  }
  for (const details of await page.locator('main details > summary').all()) await details.click();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await expectNoSidewaysScrolling(page, `${tab} at ${width}`);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await accessibilityProblems(page, 'contrast'), `${tab} in the dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await accessibilityProblems(page), `${tab} on a telephone`).toEqual([]);
  expect(complaints()).toEqual([]);
  await close();
});
