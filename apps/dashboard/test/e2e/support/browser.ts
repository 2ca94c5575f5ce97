/** Opens pages in a real browser, and checks them: errors, blocked resources, accessibility, width. */
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

export const widths = [360, 768, 1440] as const;
export const schemes = ['light', 'dark'] as const;

const chromiumPath: string = process.env['HOLDFAST_CHROMIUM'] ?? '/usr/bin/chromium';

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });

export interface WatchedPage {
  readonly page: Page;
  /** The errors, warnings and blocked resources since the last call. */
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** Opens a page in its own session and records its problems. */
export async function openPage(
  browser: Browser,
  { width = 1440, height = 900 }: { width?: number; height?: number } = {},
): Promise<WatchedPage> {
  const session = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' });
  const page = await session.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') problems.push(`${line.type()}: ${line.text()}`);
  });
  await page.exposeFunction('reportViolation', (text: string) => problems.push(`blocked: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) => {
      const report = (globalThis as unknown as { readonly reportViolation: (text: string) => void }).reportViolation;
      report(`${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber}`);
    });
  });
  return { page, problems: () => problems.splice(0), close: () => session.close() };
}

/** Runs axe, for contrast only or all rules. One line per violation. */
export async function accessibilityProblems(page: Page, what: 'contrast' | 'everything' = 'everything'): Promise<readonly string[]> {
  // The script is large, so it is injected once per page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  // Skips the descriptions of passed rules, which take as long.
  const options: axe.RunOptions = { resultTypes: ['violations'] };
  if (what === 'contrast') options.runOnly = { type: 'rule', values: ['color-contrast'] };
  const violations = await page.evaluate(async (wanted) => {
    const injected = (globalThis as unknown as { readonly axe: typeof axe }).axe;
    return (await injected.run(document, wanted)).violations;
  }, options);
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id} (${impact}): ${target.join(' ')}: ${failureSummary.replaceAll('\n', ' ')}`),
  );
}

/** Resolves after the page and everything that depends on its size is redrawn. */
export const waitForPaint = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));

/** Fails if the page is wider than the window. */
export async function expectNoHorizontalScrolling(page: Page, place: string): Promise<void> {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  expect(content, `${place} is wider than the window`).toBeLessThanOrEqual(window ?? 0);
}
