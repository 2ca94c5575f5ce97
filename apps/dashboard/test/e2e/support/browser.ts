/** Owns a real browser, and what must hold on every page: nothing that the policy has blocked, no error, nothing that assistive technology trips over. */
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
  /** What the page has complained of since the last time it was asked. */
  readonly complaints: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** A page of its own session, that is listened to. */
export async function openPage(
  browser: Browser,
  { width = 1440, height = 900 }: { width?: number; height?: number } = {},
): Promise<WatchedPage> {
  const session = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' });
  const page = await session.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') complaints.push(`${line.type()}: ${line.text()}`);
  });
  await page.exposeFunction('reportViolation', (text: string) => complaints.push(`blocked: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) => {
      const report = (globalThis as unknown as { readonly reportViolation: (text: string) => void }).reportViolation;
      report(`${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber}`);
    });
  });
  return { page, complaints: () => complaints.splice(0), close: () => session.close() };
}

/** What axe finds, a line each; of contrasts alone, or of everything. */
export async function accessibilityProblems(page: Page, what: 'contrast' | 'everything' = 'everything'): Promise<readonly string[]> {
  // It is longer than all that the page loads: it is put there once.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  // What it finds in order would be described just the same, for as long again.
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

/** Resolves once the page has drawn itself anew, and what answers to its size has drawn itself again. */
export const painted = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));

/** Nothing reaches beyond the right edge of the window. */
export async function expectNoSidewaysScrolling(page: Page, place: string): Promise<void> {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  expect(content, `${place} is wider than the window`).toBeLessThanOrEqual(window ?? 0);
}
