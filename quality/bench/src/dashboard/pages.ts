/** Owns measuring a page of the dashboard in a real browser: when it paints, how smoothly it scrolls, when it shows an event. */
import { type Browser, chromium, type Page } from 'playwright-core';

/** The browser globals used by the functions that run there. */
interface Box {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  getAttribute(name: string): string | null;
}
declare const document: { readonly scrollingElement: Box | null; querySelector(selector: string): Box | null };
declare const requestAnimationFrame: (callback: (now: number) => void) => void;

const chromiumPath: string = process.env['HOLDFAST_CHROMIUM'] ?? '/usr/bin/chromium';

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });

/** A page in a new session. */
export async function newPage(browser: Browser): Promise<Page> {
  const session = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  return session.newPage();
}

/** Milliseconds from the start of the navigation to the first content. */
export async function firstPaintMs(browser: Browser, url: string): Promise<number> {
  const page = await newPage(browser);
  await page.goto(url);
  const ms = await page.evaluate(async () => {
    const firstPaint = (): { readonly startTime: number } | undefined => performance.getEntriesByName('first-contentful-paint')[0];
    while (firstPaint() === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    return firstPaint()?.startTime ?? Number.NaN;
  });
  await page.context().close();
  return ms;
}

/** Milliseconds from the start of the navigation until an element exists. */
export async function untilMs(browser: Browser, url: string, selector: string): Promise<number> {
  const page = await newPage(browser);
  const began = performance.now();
  await page.goto(url);
  await page.waitForSelector(selector);
  const ms = performance.now() - began;
  await page.context().close();
  return ms;
}

/** Scrolls 3,000 pixels a second, and returns the duration of each frame in milliseconds. */
export async function scrollFrames(page: Page, selector: string | undefined, durationMs: number): Promise<readonly number[]> {
  return page.evaluate(
    async ([where, lengthMs]) => {
      const found = where === undefined ? document.scrollingElement : document.querySelector(where);
      if (!found) throw new Error(`There is no ${String(where)}.`);
      const frames: number[] = [];
      const began = performance.now();
      let last = began;
      for (;;) {
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
        frames.push(now - last);
        last = now;
        if (now - began > lengthMs) return frames.slice(2);
        // About as fast as a user scrolls while searching; back to the top at the end.
        const reach = Math.max(1, found.scrollHeight - found.clientHeight);
        const way = ((now - began) * 3) % (reach * 2);
        found.scrollTop = way > reach ? reach * 2 - way : way;
      }
    },
    [selector, durationMs] as const,
  );
}

/** Epoch milliseconds at which a tile shows that its tool was called. */
export async function seenCalledAt(page: Page, tool: string): Promise<number> {
  return page.evaluate(async (name) => {
    const isSeen = (): boolean => Number(document.querySelector(`[data-tool="${name}"]`)?.getAttribute('data-calls')) > 0;
    while (!isSeen()) await new Promise((resolve) => requestAnimationFrame(resolve));
    return Date.now();
  }, tool);
}
