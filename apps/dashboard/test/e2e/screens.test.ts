/**
 * Every screen in a real browser, at three widths, light and dark: it loads, causes no browser errors, passes axe, and does not scroll horizontally.
 * HOLDFAST_SCREENSHOTS=reports/screenshots saves screenshots of all of them; HOLDFAST_SCREENSHOTS=docs/images saves the wide ones for the docs.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  accessibilityProblems,
  expectNoHorizontalScrolling,
  launchBrowser,
  openPage,
  waitForPaint,
  schemes,
  widths,
} from './support/browser.ts';
import { screens } from './support/screens.ts';
import { operatorToken, startGateway, type TestGateway } from './support/gateway.ts';
import { runTurns, turns } from './gateway/traffic.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const root = join(import.meta.dirname, '../../../..');
const screenshotFolder = process.env['HOLDFAST_SCREENSHOTS'];

/** The file of a screenshot, if it is to be saved. Only the wide ones are for the docs. */
function screenshotPath(name: string, width: number, scheme: string): string | undefined {
  if (screenshotFolder === undefined) return undefined;
  if (screenshotFolder !== 'docs/images') return join(root, screenshotFolder, `${name}-${width}-${scheme}.png`);
  return width === 1440 ? join(root, screenshotFolder, `${name}-${scheme}.png`) : undefined;
}

let gateway: TestGateway;
let browser: Browser;
beforeAll(async () => {
  if (screenshotFolder !== undefined) mkdirSync(join(root, screenshotFolder), { recursive: true });
  [gateway, browser] = await Promise.all([startGateway(), launchBrowser()]);
  await runTurns(gateway.url, turns);
});
afterAll(async () => {
  await Promise.all([gateway.close(), browser.close()]);
});

test.each(screens)('$name', async ({ name, path: urlPath, loaded, expectedProblem = /^$/ }) => {
  const { page, problems, close } = await openPage(browser);
  await page.goto(`${gateway.url}${urlPath}#token=${operatorToken}`);
  await loaded(page);
  expect(await page.getByRole('heading', { level: 1 }).count(), 'level 1 headings').toBe(1);
  expect(page.url(), 'the token is not in the URL').not.toContain(operatorToken);
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const place = `${name} at ${width}, ${colorScheme}`;
      const path = screenshotPath(name, width, colorScheme);
      if (path !== undefined) await page.screenshot({ path });
      await waitForPaint(page);
      await expectNoHorizontalScrolling(page, place);
      // The schemes differ in colours only.
      expect(await accessibilityProblems(page, colorScheme === 'light' ? 'everything' : 'contrast'), place).toEqual([]);
    }
  }
  expect(problems().filter((problem) => !expectedProblem.test(problem))).toEqual([]);
  await close();
});
