/**
 * Every screen, in a real browser, at three widths, light and dark: it shows what it is for, nothing was blocked by the page's policy, axe finds nothing, nothing
 * sticks out. With HOLDFAST_SCREENSHOTS=reports/screenshots pictures are taken of all of it; with HOLDFAST_SCREENSHOTS=docs/images the wide ones go into the docs.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { accessibilityProblems, expectNoSidewaysScrolling, launchBrowser, openPage, painted, schemes, widths } from './support/browser.ts';
import { screens } from './support/screens.ts';
import { operatorToken, startWorld, type World } from './support/world.ts';
import { runTurns, turns } from './world/traffic.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const root = join(import.meta.dirname, '../../../..');
const wanted = process.env['HOLDFAST_SCREENSHOTS'];

/** Where the picture of a screen goes, if it is taken: the wide ones alone are for the docs. */
function pictureOf(name: string, width: number, scheme: string): string | undefined {
  if (wanted === undefined) return undefined;
  if (wanted !== 'docs/images') return join(root, wanted, `${name}-${width}-${scheme}.png`);
  return width === 1440 ? join(root, wanted, `${name}-${scheme}.png`) : undefined;
}

let world: World;
let browser: Browser;
beforeAll(async () => {
  if (wanted !== undefined) mkdirSync(join(root, wanted), { recursive: true });
  [world, browser] = await Promise.all([startWorld(), launchBrowser()]);
  await runTurns(world.url, turns);
});
afterAll(async () => {
  await Promise.all([world.close(), browser.close()]);
});

test.each(screens)('$name', async ({ name, path: address, shown, complains = /^$/ }) => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(`${world.url}${address}#token=${operatorToken}`);
  await shown(page);
  expect(await page.getByRole('heading', { level: 1 }).count(), 'first headings').toBe(1);
  expect(page.url(), 'the token stays out of the address').not.toContain(operatorToken);
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const place = `${name} at ${width}, ${colorScheme}`;
      const path = pictureOf(name, width, colorScheme);
      if (path !== undefined) await page.screenshot({ path });
      await painted(page);
      await expectNoSidewaysScrolling(page, place);
      // Nothing but colours differs between the schemes.
      expect(await accessibilityProblems(page, colorScheme === 'light' ? 'everything' : 'contrast'), place).toEqual([]);
    }
  }
  expect(complaints().filter((complaint) => !complains.test(complaint))).toEqual([]);
  await close();
});
