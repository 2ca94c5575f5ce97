/**
 * Every screen, in a real browser, at three widths, light and dark: it shows what it is for, nothing was blocked by the page's policy, axe finds nothing, nothing
 * sticks out. The pictures that are taken go to `reports/screenshots`, or where HOLDFAST_SCREENSHOTS says: those of the docs are from here.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { accessibilityProblems, expectNoSidewaysScrolling, launchBrowser, openPage, schemes, widths } from './support/browser.ts';
import { screens } from './support/screens.ts';
import { operatorToken, startWorld, type World } from './support/world.ts';
import { runTurns, turns } from './world/traffic.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const pictures = process.env['HOLDFAST_SCREENSHOTS'] ?? join(import.meta.dirname, '../../../../reports/screenshots');

let world: World;
let browser: Browser;
beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  [world, browser] = await Promise.all([startWorld(), launchBrowser()]);
  await runTurns(world.url, turns);
});
afterAll(async () => {
  await Promise.all([world.close(), browser.close()]);
});

test.each(screens)('$name', async ({ name, path, shown, wanted = /^$/ }) => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(`${world.url}${path}${path.includes('#') ? '' : `#token=${operatorToken}`}`);
  await shown(page);
  expect(await page.getByRole('heading', { level: 1 }).count(), 'first headings').toBe(1);
  expect(page.url(), 'the token stays out of the address').not.toContain(operatorToken);
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const place = `${name} at ${width}, ${colorScheme}`;
      await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`) });
      await expectNoSidewaysScrolling(page, place);
      // Nothing but colours differs between the schemes.
      expect(await accessibilityProblems(page, colorScheme === 'light' ? 'everything' : 'contrast'), place).toEqual([]);
    }
  }
  expect(complaints().filter((complaint) => !wanted.test(complaint))).toEqual([]);
  await close();
});
