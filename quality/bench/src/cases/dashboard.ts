/** The dashboard in a real browser: first paint, many tools, a long turn, many turns, and the time from an event to the screen. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { firstPaintMs, launch, newPage, scrollFrames, seenCalledAt, untilMs } from '../dashboard/pages.ts';
import { type RunningGateway, startGateway, toolName } from '../dashboard/gateway.ts';
import type { Report, Target } from '../report/report.ts';
import { quantile } from '../timing/statistics.ts';
import type { Case } from './case.ts';

interface Effort {
  readonly visits: number;
  readonly tools: number;
  readonly steps: number;
  readonly turns: number;
  readonly probes: number;
  readonly scrollMs: number;
}

const full: Effort = { visits: 9, tools: 1_000, steps: 1_000, turns: 100_000, probes: 25, scrollMs: 4_000 };
const quick: Effort = { visits: 3, tools: 100, steps: 100, turns: 1_000, probes: 5, scrollMs: 1_000 };

/** A call of a tool that answers at once has four events. */
const callsPerSecond = 125;

type Figures = Record<string, readonly number[]>;

export const dashboard: Case = {
  name: 'dashboard',
  page: 'DASHBOARD.md',
  async run({ quick: isQuick }) {
    const effort = isQuick ? quick : full;
    const browser = await launch();
    const [few, many] = [await startGateway(30, isQuick), await startGateway(effort.tools, isQuick)];
    try {
      const figures: Figures = {
        ...(await overviewFigures(browser, few, many, effort)),
        ...(await liveFigures(browser, few, effort)),
        ...(await turnFigures(browser, few, effort)),
        ...(await listFigures(browser, few, effort)),
      };
      return report(figures, effort);
    } finally {
      await browser.close();
      await Promise.all([few.stop(), many.stop()]);
    }
  },
};

async function repeat(times: number, measure: () => Promise<number>): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let time = 0; time < times; time += 1) seen.push(await measure());
  return seen;
}

async function overviewFigures(browser: Browser, few: RunningGateway, many: RunningGateway, effort: Effort): Promise<Figures> {
  for (let tool = 1; tool <= effort.tools; tool += 1) await many.post('/v1/calls', { tool_id: toolName(tool) });
  const firstPaint = await repeat(effort.visits, () => firstPaintMs(browser, few.url));
  const manyShown = await repeat(effort.visits, () => untilMs(browser, many.url, '[data-tool]'));
  const page = await newPage(browser);
  await page.goto(many.url);
  await page.waitForSelector('[data-tool]');
  const manyFrames = await scrollFrames(page, undefined, effort.scrollMs);
  await page.context().close();
  return { firstPaint, manyShown, manyFrames };
}

/** The delay from the first call of a tool to its tile, while other tools are called all the time. */
async function liveFigures(browser: Browser, gateway: RunningGateway, { probes }: Effort): Promise<Figures> {
  const page = await newPage(browser);
  await page.goto(gateway.url);
  await page.waitForSelector('[data-tool]');
  let isLoaded = true;
  const load = (async () => {
    for (let call = 0; isLoaded; call += 1) {
      void gateway.post('/v1/calls', { tool_id: toolName(1 + (call % 4)) });
      await wait(1_000 / callsPerSecond);
    }
  })();
  const delays: number[] = [];
  for (let probe = 0; probe < probes; probe += 1) {
    const tool = toolName(6 + probe);
    const seen = seenCalledAt(page, tool);
    await wait(150 + (probe % 7) * 30);
    const called = Date.now();
    await gateway.post('/v1/calls', { tool_id: tool });
    delays.push((await seen) - called);
  }
  isLoaded = false;
  await load;
  await page.context().close();
  return { delays };
}

/** Each step is a call with four attempts: five spans. */
async function turnFigures(browser: Browser, gateway: RunningGateway, { steps, scrollMs }: Effort): Promise<Figures> {
  const calls = Array.from({ length: steps }, (_, at) => ({ call_id: `s${at + 1}`, tool_id: 'step' }));
  await gateway.post('/v1/turns', { id: 'long', timeout_ms: 120_000, concurrency: 20, calls });
  const page = await newPage(browser);
  const began = performance.now();
  await page.goto(`${gateway.url}/turns/long`);
  await page.waitForSelector('[role="treegrid"] [role="row"]');
  const shown = performance.now() - began;
  const turnFrames = await scrollFrames(page, '[data-scroll="waterfall"]', scrollMs);
  await page.context().close();
  return { turnShown: [shown], turnFrames };
}

async function listFigures(browser: Browser, gateway: RunningGateway, { turns, visits, scrollMs }: Effort): Promise<Figures> {
  let left = turns;
  const caller = async (): Promise<void> => {
    for (; left > 0;) {
      left -= 1;
      await gateway.post('/v1/calls', { tool_id: toolName(1 + (left % 5)) });
    }
  };
  await Promise.all(Array.from({ length: 32 }, caller));
  const listShown = await repeat(visits, () => untilMs(browser, `${gateway.url}/turns`, '[data-scroll="turns"] [role="row"]'));
  const filtered = await repeat(visits, async () => {
    const began = performance.now();
    await (await fetch(`${gateway.url}/v1/turns?tool_id=step&limit=50`)).arrayBuffer();
    return performance.now() - began;
  });
  const page = await newPage(browser);
  await page.goto(`${gateway.url}/turns`);
  await page.waitForSelector('[data-scroll="turns"] [role="row"]');
  const listFrames = await scrollFrames(page, '[data-scroll="turns"]', scrollMs);
  await page.context().close();
  return { listShown, filtered, listFrames };
}

const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

/** Most screens show sixty frames a second; a frame that is slightly late is still in time. */
const frameLimitMs = 17.5;

function report(figures: Figures, effort: Effort): Report {
  const of = (name: string): readonly number[] => figures[name] ?? [];
  const onTime = (name: string): number => of(name).filter((ms) => ms <= frameLimitMs).length / Math.max(1, of(name).length);
  const atMost = (what: string, name: string, limitMs: number, share: number): Target => {
    const seen = quantile(of(name), share);
    return { wanted: `${what} ≤ ${limitMs} ms`, seen: milliseconds(seen), met: seen <= limitMs };
  };
  const smooth = (what: string, name: string): Target => ({
    wanted: `${what} scrolls at 60 frames/s (95 of 100 frames in time)`,
    seen: `${(onTime(name) * 100).toFixed(1)} % in time, the longest ${milliseconds(Math.max(...of(name)))}`,
    met: onTime(name) >= 0.95,
  });
  const row = (title: string, name: string): readonly string[] => [
    title,
    ...[0.5, 0.95, 1].map((share) => milliseconds(quantile(of(name), share))),
  ];
  return {
    name: 'dashboard',
    title: 'Dashboard performance',
    what:
      'A gateway as installed, a headless Chromium without a graphics card, and the caller share the cores of one machine. ' +
      `Delays are measured from sending a call to the frame that shows its tile changed, while ${callsPerSecond} other calls a second, 500 events, keep the page busy. ` +
      `The long turn has ${effort.steps.toLocaleString('en')} calls of four attempts; the list has ${effort.turns.toLocaleString('en')} turns.`,
    tables: [
      {
        columns: ['', 'median', 'p95', 'longest'],
        rows: [
          row('first paint of the overview', 'firstPaint'),
          row(`overview of ${effort.tools.toLocaleString('en')} tools, until the first tile`, 'manyShown'),
          row('a frame of that overview, scrolling', 'manyFrames'),
          row('event to screen', 'delays'),
          row('long turn, until its first row', 'turnShown'),
          row('a frame of the long turn, scrolling', 'turnFrames'),
          row('list of turns, until its first row', 'listShown'),
          row('a filtered page of turns, from the API', 'filtered'),
          row('a frame of the list, scrolling', 'listFrames'),
        ],
      },
    ],
    targets: [
      atMost('first paint', 'firstPaint', 500, 0.5),
      atMost('event to screen, p95,', 'delays', 300, 0.95),
      smooth('the long turn', 'turnFrames'),
      smooth(`the overview of ${effort.tools.toLocaleString('en')} tools`, 'manyFrames'),
      smooth('the list of turns', 'listFrames'),
    ],
    notes: [
      `${effort.visits} visits each, with an empty browser session. Scrolling is 3,000 pixels per second; a frame is in time within ${frameLimitMs} ms.`,
    ],
    figures,
  };
}
