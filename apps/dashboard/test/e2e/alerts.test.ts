/** The alerts screen, with keyboard and mouse: firing alerts, acknowledgements, silences, receivers. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  accessibilityProblems,
  expectNoHorizontalScrolling,
  launchBrowser,
  openPage,
  type WatchedPage,
  widths,
} from './support/browser.ts';
import { operatorToken, startGateway, type TestGateway } from './support/gateway.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let gateway: TestGateway;
let browser: Browser;
let receiver: Server;

beforeAll(async () => {
  receiver = createServer((_incoming, outgoing) => void outgoing.end('ok')).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  [gateway, browser] = await Promise.all([
    startGateway({ folder: join(import.meta.dirname, 'alerts-gateway'), env: { RECEIVER: address } }),
    launchBrowser(),
  ]);
  for (const tool of ['search', 'weather']) {
    await fetch(`${gateway.url}/v1/calls`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tool_id: tool, arguments: {} }),
    });
  }
});
afterAll(async () => {
  await Promise.all([gateway.close(), browser.close()]);
  receiver.closeAllConnections();
  receiver.close();
});

/** Removes the silences of the previous test. */
beforeEach(async () => {
  const headers = { authorization: `Bearer ${operatorToken}` };
  const { silences } = (await (await fetch(`${gateway.url}/v1/alerts`)).json()) as { silences: { id: string }[] };
  for (const { id } of silences) await fetch(`${gateway.url}/v1/silences/${id}`, { method: 'DELETE', headers });
});

const card = (page: Page, rule: string): Locator => page.locator(`[data-alert="${rule}"]`);

async function open(path = '/alerts', token = true): Promise<WatchedPage> {
  const watched = await openPage(browser);
  await watched.page.goto(`${gateway.url}${path}${token ? `#token=${operatorToken}` : ''}`);
  await card(watched.page, 'CircuitOpen').waitFor();
  return watched;
}

/** Presses Tab until the element has focus. Looks it up again only if it was replaced, since a lookup takes longer than a key press. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  let element = await target.elementHandle();
  for (let presses = 0; presses < 60; presses += 1) {
    if (!(await element?.evaluate(({ isConnected }) => isConnected))) element = await target.elementHandle();
    if (await element?.evaluate((each) => each === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}

const waitForStatus = (page: Page, text: string): Promise<void> => page.getByRole('status').getByText(text).waitFor({ state: 'attached' });

test('a firing alert shows its problem, its time and links', async () => {
  const { page, problems, close } = await open();
  const circuit = card(page, 'CircuitOpen');
  expect(await circuit.textContent()).toMatch(/firing.*critical.*fired.*Circuit breaker of search has opened/s);
  expect(await card(page, 'ResponseInvalid').textContent()).toContain('weather');
  await circuit.getByRole('link', { name: 'Tool search' }).waitFor();
  const href = await circuit.getByRole('link', { name: /Latest contributing call/ }).getAttribute('href');
  expect(href).toMatch(/^\/turns\/.+\?call=/);
  expect(problems()).toEqual([]);
  await close();
});

test('acknowledge, then silence, with the keyboard', async () => {
  const { page, problems, close } = await open();
  const circuit = card(page, 'CircuitOpen');
  await tabTo(page, circuit.getByRole('button', { name: /^Acknowledge/ }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Acknowledge' });
  await dialog.waitFor();
  await tabTo(page, dialog.getByLabel('Comment'));
  await page.keyboard.type('Working on it');
  await tabTo(page, dialog.getByRole('button', { name: 'Acknowledge' }));
  await page.keyboard.press('Enter');
  await waitForStatus(page, 'Acknowledged: Circuit breaker of search has opened.');
  await page.locator('[data-alert="CircuitOpen"][data-group="acknowledged"]').waitFor();
  expect(await circuit.textContent()).toContain('Acknowledged by operator: Working on it');

  await tabTo(page, circuit.getByRole('button', { name: /^Silence/ }));
  await page.keyboard.press('Enter');
  const silenceDialog = page.getByRole('dialog', { name: 'Silence alerts' });
  await silenceDialog.waitFor();
  expect(await silenceDialog.textContent()).toContain('Covers 1 of');
  await tabTo(page, silenceDialog.getByRole('button', { name: 'Silence', exact: true }));
  await page.keyboard.press('Enter');
  await silenceDialog.getByText('Give a reason, for other operators.').waitFor();
  await tabTo(page, silenceDialog.getByLabel('Comment'));
  await page.keyboard.type('maintenance');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowDown');
  await tabTo(page, silenceDialog.getByRole('button', { name: 'Silence', exact: true }));
  await page.keyboard.press('Enter');
  await page.locator('[data-alert="CircuitOpen"][data-group="quiet"]').waitFor();
  expect(await circuit.textContent()).toContain('Silenced by operator: maintenance');
  expect(problems()).toEqual([]);
  await close();
});

test('a silence with a regular expression is listed and ended', async () => {
  const { page, problems, close } = await openPage(browser);
  await page.goto(`${gateway.url}/alerts?tab=silences#token=${operatorToken}`);
  await page.getByRole('button', { name: 'New silence' }).click();
  const dialog = page.getByRole('dialog', { name: 'Silence alerts' });
  await dialog.getByLabel('Label').fill('tool');
  await dialog.getByLabel('Operator').selectOption('=~');
  await dialog.getByLabel('Value').fill('(');
  await dialog.getByLabel('Comment').fill('network maintenance');
  await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
  await dialog.getByText('Invalid regular expression.').waitFor();
  await dialog.getByLabel('Value').fill('sea.*|weather');
  await dialog.getByText(/^Covers [2-9] of/).waitFor();
  await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
  const entry = page.locator('[data-silence="active"]');
  await entry.waitFor();
  expect(await entry.textContent()).toContain('tool =~ "sea.*|weather"');
  expect(await entry.textContent()).toContain('network maintenance');
  await entry.getByRole('button', { name: /^End the silence/ }).click();
  await waitForStatus(page, 'Ended the silence: network maintenance.');
  await entry.waitFor({ state: 'detached' });
  expect(problems()).toEqual([]);
  await close();
});

test('receivers are tested, and the result is in the log', async () => {
  const { page, problems, close } = await openPage(browser);
  await page.goto(`${gateway.url}/alerts?tab=receivers#token=${operatorToken}`);
  await page.getByRole('button', { name: 'Send a test to operators' }).click();
  await waitForStatus(page, 'The test was delivered to operators.');
  await page.getByRole('button', { name: 'Send a test to unset' }).click();
  await page
    .getByText(/NOT_SET is not set/)
    .first()
    .waitFor();
  // Firing alerts cause deliveries to it, too.
  const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row', { name: /unset/ }).filter({ hasText: 'a test' });
  await row.first().waitFor();
  expect(await row.first().textContent()).toMatch(/a test.*failed/s);
  await page.getByRole('tab', { name: /^Current/ }).focus();
  await page.keyboard.press('End');
  await page.getByRole('table', { name: 'Alert history' }).getByText('CircuitOpen').first().waitFor();
  expect(new URL(page.url()).searchParams.get('tab')).toBe('history');
  await page.goBack();
  await page.getByRole('button', { name: 'Send a test to unset' }).waitFor();
  expect(problems()).toEqual([]);
  await close();
});

test('actions without a token are disabled, with a reason', async () => {
  const { page, problems, close } = await open('/alerts', false);
  const button = card(page, 'CircuitOpen').getByRole('button', { name: /^Silence/ });
  expect(await button.getAttribute('aria-disabled')).toBe('true');
  expect(await button.getAttribute('title')).toContain('no operator token');
  await button.focus();
  await page.keyboard.press('Enter');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(problems()).toEqual([]);
  await close();
});

test('the URL of an alert selects it', async () => {
  const { alerts } = (await (await fetch(`${gateway.url}/v1/alerts`)).json()) as { alerts: { name: string; fingerprint: string }[] };
  const fingerprint = alerts.find(({ name }) => name === 'ResponseInvalid')?.fingerprint ?? '';
  const { page, close } = await open(`/alerts?alert=${fingerprint}`);
  expect(await page.locator('[aria-current="true"][data-alert]').getAttribute('data-alert')).toBe('ResponseInvalid');
  await page.goto(`${gateway.url}/alerts?alert=0000000000000000`);
  await page.getByText('This alert is no longer active.').waitFor();
  await close();
});

/** The first tab is covered by the screen tests. */
const tabs = ['silences', 'rules', 'receivers', 'history'] as const;

test.each(tabs)('%s: every width, light and dark, accessible, no browser errors', async (tab) => {
  const { page, problems, close } = await openPage(browser);
  await page.goto(`${gateway.url}/alerts?tab=${tab}#token=${operatorToken}`);
  await page.getByRole('tabpanel').waitFor();
  if (tab === 'silences') {
    await page.getByRole('button', { name: 'New silence' }).click();
    await page.getByRole('dialog').waitFor();
  }
  for (const details of await page.locator('main details > summary').all()) await details.click();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await expectNoHorizontalScrolling(page, `${tab} at ${width}`);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await accessibilityProblems(page, 'contrast'), `${tab} dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await accessibilityProblems(page), `${tab} at 360`).toEqual([]);
  expect(problems()).toEqual([]);
  await close();
});
