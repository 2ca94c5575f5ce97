/** A newcomer, from the overview: the tool that fails, the decision that stopped its retries, the sample that opened its circuit, in three clicks. */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { launchBrowser, openPage } from './support/browser.ts';
import { startWorld, type World } from './support/world.ts';
import { runTurns, turns } from './world/traffic.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const trips = turns.filter(({ turn_id: id }) => /^(docs|trip|flight)-/.test(id));

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([startWorld(), launchBrowser()]);
  await runTurns(world.url, trips);
});
afterAll(async () => {
  await Promise.all([world.close(), browser.close()]);
});

/** Clicks, and counts. */
function newcomer(): { readonly click: (what: Locator) => Promise<void>; readonly clicks: () => number } {
  let made = 0;
  return {
    click: async (what) => {
      made += 1;
      await what.first().click();
    },
    clicks: () => made,
  };
}

test('the failing tool, the decision, the sample', async () => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(world.url);

  // What fails comes first, and says so without a click.
  const first = page.locator('[data-tool]').first();
  await first.waitFor();
  expect(await first.getAttribute('data-tool')).toBe('flight_search');
  expect(await first.textContent()).toMatch(/failing/);

  const { click, clicks } = newcomer();
  await click(first.getByRole('link'));
  // One click: the samples that opened the circuit are listed, and why nothing more was tried.
  await page
    .getByText(/too many transient failures in a row/)
    .first()
    .waitFor();
  expect(await page.getByText('connect ECONNREFUSED').count()).toBeGreaterThanOrEqual(5);

  await click(page.getByRole('link', { name: /See the decision/ }));
  // Two: the decision with what was checked, the first check that failed among it.
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
  // Three: the sample itself, in its turn.
  await page.getByRole('treegrid').waitFor();
  expect(new URL(page.url()).searchParams.get('attempt')).toMatch(/^\d$/);
  expect(clicks()).toBeLessThanOrEqual(3);
  expect(complaints()).toEqual([]);
  await close();
});
