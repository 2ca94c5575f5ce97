/** From the overview to the failing tool, the decision that stopped its retries, and the sample that opened its circuit, in three clicks. */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { launchBrowser, openPage } from './support/browser.ts';
import { startGateway, type TestGateway } from './support/gateway.ts';
import { runTurns, turns } from './gateway/traffic.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const trips = turns.filter(({ turn_id: id }) => /^(docs|trip|flight)-/.test(id));

let gateway: TestGateway;
let browser: Browser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startGateway(), launchBrowser()]);
  await runTurns(gateway.url, trips);
});
afterAll(async () => {
  await Promise.all([gateway.close(), browser.close()]);
});

/** Clicks, and counts the clicks. */
function createClicker(): { readonly click: (target: Locator) => Promise<void>; readonly clicks: () => number } {
  let count = 0;
  return {
    click: async (target) => {
      count += 1;
      await target.first().click();
    },
    clicks: () => count,
  };
}

test('the failing tool, the decision, the sample', async () => {
  const { page, problems, close } = await openPage(browser);
  await page.goto(gateway.url);

  // The failing tool comes first.
  const first = page.locator('[data-tool]').first();
  await first.waitFor();
  expect(await first.getAttribute('data-tool')).toBe('flight_search');
  expect(await first.textContent()).toMatch(/failing/);

  const { click, clicks } = createClicker();
  await click(first.getByRole('link'));
  // One click: the samples that opened the circuit, and why retries stopped.
  await page
    .getByText(/too many transient failures in a row/)
    .first()
    .waitFor();
  expect(await page.getByText('connect ECONNREFUSED').count()).toBeGreaterThanOrEqual(5);

  await click(page.getByRole('link', { name: /View decision/ }));
  // Two: the decision with its checks.
  await page
    .getByText(/attempts/)
    .first()
    .waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/turns\/trip-\d$/);
  expect(new URL(page.url()).searchParams.get('call')).toBe('flights');
  const decision = page.getByRole('tabpanel').filter({ hasText: /attempts/i });
  await decision.first().waitFor();

  await page.goBack();
  await click(page.getByRole('link', { name: /^attempt \d of flights/ }));
  // Three: the sample in its turn.
  await page.getByRole('treegrid').waitFor();
  expect(new URL(page.url()).searchParams.get('attempt')).toMatch(/^\d$/);
  expect(clicks()).toBeLessThanOrEqual(3);
  expect(problems()).toEqual([]);
  await close();
});
