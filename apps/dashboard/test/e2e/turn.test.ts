/** The turn, turns and what-if screens in a real browser, with mouse and keyboard. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { launchBrowser, openPage, type WatchedPage } from './support/browser.ts';
import { operatorToken, startGateway, type TestGateway } from './support/gateway.ts';
import { runTurns, turns } from './gateway/traffic.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let gateway: TestGateway;
let browser: Browser;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([startGateway(), launchBrowser()]);
  await runTurns(
    gateway.url,
    turns.filter(({ turn_id: id }) => /^(docs-\d|trip-1|injection-1|late|book-1|weather-\d)$/u.test(id)),
  );
});
afterAll(() => Promise.all([gateway.close(), browser.close()]));

async function open(path: string): Promise<WatchedPage> {
  const watched = await openPage(browser);
  await watched.page.goto(`${gateway.url}${path}#token=${operatorToken}`);
  return watched;
}

const focusedRole = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.getAttribute('role') ?? '');

test('a link to an attempt opens the call, its decision, and the check that stopped it', async () => {
  const { page, problems, close } = await open('/turns/trip-1?call=flights&attempt=3');
  const call = page.locator('aside[data-call="flights"]');
  const card = call.locator('details[open]', { hasText: 'Attempt 3 of flight_search failed' });
  await card.waitFor();
  const stopped = card.locator('tr', { hasText: 'Attempts left' });
  expect(await stopped.textContent()).toMatch(/3 not below 3/u);
  expect(await stopped.getByRole('img').getAttribute('aria-label')).toBe('no, which ruled this out');
  expect(await card.getByText(/It would have been retried/u).textContent()).toMatch(/max_attempts of at least 4/u);
  // The waterfall shows the same call, expanded.
  const row = page.getByRole('row', { selected: true }).first();
  expect(await row.getAttribute('aria-expanded')).toBe('true');
  await card.getByRole('link', { name: 'Try in what-if' }).click();
  await page.getByRole('heading', { name: 'What if', level: 1 }).waitFor();
  await page.getByText(/never recorded/u).waitFor();
  expect(new URL(page.url()).searchParams.get('max_attempts')).toBe('4');
  expect(problems()).toEqual([]);
  await close();
});

test('the waterfall with the keyboard: move, expand, zoom in, select a call', async () => {
  const { page, problems, close } = await open('/turns/trip-1');
  const grid = page.getByRole('treegrid');
  await grid.waitFor();
  await grid.focus();
  const active = async (): Promise<string | null> =>
    page.evaluate(() => {
      const id = document.activeElement?.getAttribute('aria-activedescendant');
      return id === null || id === undefined ? null : (document.getElementById(id)?.textContent ?? null);
    });
  expect(await active()).toContain('place');
  while (!((await active()) ?? '').startsWith('flights')) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  expect(await active()).toMatch(/Attempt 1 failed|Waiting/u);
  await page.keyboard.press('ArrowLeft');
  expect(await active()).toContain('flights');
  await page.keyboard.press('+');
  await page.getByRole('button', { name: 'Zoom in' }).waitFor();
  expect(await page.getByRole('slider', { name: /Visible range of the turn/u }).getAttribute('aria-valuetext')).toMatch(/ to /u);
  await page.keyboard.press('0');
  await page.keyboard.press('Enter');
  await page.locator('aside[data-call="flights"]').waitFor();
  expect(await focusedRole(page)).toBe('treegrid');
  expect(new URL(page.url()).searchParams.get('call')).toBe('flights');
  expect(problems()).toEqual([]);
  await close();
});

test('a skipped call links to its cause', async () => {
  const { page, problems, close } = await open('/turns/trip-1?view=cascade&call=confirm');
  const call = page.locator('aside[data-call="confirm"]');
  await call.getByText(/Skipped. Caused by/u).waitFor();
  await call.getByRole('button', { name: 'flights', exact: true }).click();
  await page.locator('aside[data-call="flights"]').waitFor();
  await page.getByText(/skipped because of it: book and confirm/u).waitFor();
  await page.getByRole('tab', { name: 'Time' }).click();
  await page.getByRole('table', { name: /How the time of each call was spent/u }).waitFor();
  expect(problems()).toEqual([]);
  await close();
});

test('tool output is shown as text', async () => {
  const { page, problems, close } = await open('/turns/injection-1?call=only&tab=error');
  await page.locator('aside').getByText('<img src=x').first().waitFor();
  expect(await page.title()).toBe('injection-1 · Holdfast');
  await page.getByRole('tab', { name: /^Events/u }).click();
  await page.getByRole('table', { name: 'Events' }).waitFor();
  expect(await page.locator('img').count()).toBe(0);
  expect(problems()).toEqual([]);
  await close();
});

test('a running turn is followed to its end', async () => {
  const { page, problems, close } = await open('/turns');
  await page.locator('[data-turn="trip-1"]').waitFor();
  const running = fetch(`${gateway.url}/v1/turns`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      turn_id: 'followed',
      calls: [
        { call_id: 'first', tool_id: 'report', arguments: { ms: 1500 } },
        { call_id: 'second', tool_id: 'report', arguments: { ms: 1500 }, depends_on: ['first'] },
        { call_id: 'third', tool_id: 'report', arguments: { ms: 100 }, depends_on: ['second'] },
      ],
    }),
  });
  await page.locator('[data-turn="followed"]').getByRole('link').click();
  await page.getByRole('main').getByText('live', { exact: true }).waitFor();
  await page.getByRole('row', { name: /^third.*waiting/u }).waitFor();
  await running;
  await page.getByRole('row', { name: /^third.*succeeded/u }).waitFor();
  await page.locator('main').getByText('success', { exact: true }).waitFor();
  expect(problems()).toEqual([]);
  await close();
});

test('turns are filtered, and the filter is in the URL', async () => {
  const { page, problems, close } = await open('/turns');
  await page.locator('[data-turn="trip-1"]').waitFor();
  await page.getByLabel('Retried').check();
  await page.locator('[data-turn="docs-1"]').waitFor({ state: 'detached' });
  await page.locator('[data-turn="weather-1"]').waitFor();
  await page.getByLabel('Outcome').selectOption('partial');
  await page.locator('[data-turn="weather-1"]').waitFor({ state: 'detached' });
  await page.locator('[data-turn="trip-1"]').waitFor();
  expect(new URL(page.url()).search).toBe('?retried=1&outcome=partial');
  await page.getByLabel('Error code').fill('NO_SUCH_CODE');
  await page.getByText('No turns match.').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.locator('[data-turn="docs-1"]').waitFor();
  expect(problems()).toEqual([]);
  await close();
});

test('a turn is downloaded', async () => {
  const { page, problems, close } = await open('/turns/trip-1');
  await page.getByText('Export', { exact: true }).click();
  for (const [name, extension] of [
    ['NDJSON', 'ndjson'],
    ['Chrome trace', 'trace.json'],
    ['OpenTelemetry', 'otlp.json'],
  ] as const) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: new RegExp(name, 'u') }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`trip-1.${extension}`);
  }
  expect(problems()).toEqual([]);
  await close();
});
