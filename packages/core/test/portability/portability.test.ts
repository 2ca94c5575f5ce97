import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { bundleScenario, globalName, type Bundle } from './bundle.ts';
import { launchChromium, nodeBinary, runBare, runInPage, runOnNode } from './hosts.ts';
import { scenario, type ScenarioReport } from './scenario.ts';

const run = `${globalName}.scenario()`;

let bundle: Bundle;
let here: ScenarioReport;

beforeAll(async () => {
  bundle = await bundleScenario();
  here = await scenario();
});

test('the report has the specified values', () => {
  expect(here.circuit).toEqual([
    '1 permit closed',
    '2 permit closed',
    '3 permit closed',
    '4 permit closed',
    '5 permit open',
    '6 refused open',
    'restored open half_open',
    '1006 permit closed',
    '1007 permit closed',
  ]);
  const grown = [100, 200, 400, 800, 800];
  expect(here.delays.map((delay, index) => Math.abs(delay / (grown[index] ?? Number.NaN) - 1) <= 0.1)).toEqual(grown.map(() => true));
});

test('the turn of the report retried, timed out, used a fallback and reported it', () => {
  expect(here.turn.slice(0, 4)).toEqual([
    'flaky success flaky 3 {"price":42}',
    'hung success spare 2 {"price":42}',
    'Completed flaky and hung',
    'aborted: Tool timeout after 20ms',
  ]);
  expect(here.turn).toContain('ToolTimeout');
  expect(here.turn.at(-1)).toBe('TurnCompleted');
});

test('the bundle contains only the core', () => {
  expect(bundle.inputs.filter((path) => !path.startsWith('src/'))).toEqual(['test/portability/scenario.ts']);
});

test('the bare host has only ECMAScript', () => {
  for (const use of [
    'setTimeout(() => undefined)',
    'console.log()',
    'process.version',
    'fetch()',
    'performance.now()',
    'crypto.randomUUID()',
  ]) {
    expect(() => runBare(use, '0'), use).toThrow('is not defined');
  }
  expect(() => runBare('', "new Function('return 1')()")).toThrow('Code generation from strings disallowed');
});

test('runs with only ECMAScript: no timers, no console, no Node, no code from strings', async () => {
  const report = JSON.parse(JSON.stringify(await runBare(bundle.code, run))) as unknown;
  expect(report).toEqual(here);
});

test('the tests themselves run on Node 24', () => {
  expect(process.versions.node).toMatch(/^24\./);
});

/** Only Linux on x64 has the other versions of Node as packages; there a missing one is a failure. */
const hasOtherNodes = process.platform === 'linux' && process.arch === 'x64';

test.each(hasOtherNodes ? ([22, 24, 26] as const) : ([24] as const))('runs on Node %i and lets the process end', async (major) => {
  const { version, report, stderr } = await runOnNode(nodeBinary(major), bundle.code, run);
  expect(version).toMatch(new RegExp(`^v${String(major)}\\.`));
  expect(report).toEqual(here);
  expect(stderr).toBe('');
});

let browser: Browser | undefined;
afterAll(async () => {
  await browser?.close();
});

test('runs in a browser, in a page that may neither load anything nor evaluate strings', async () => {
  browser = await launchChromium();
  const { report, complaints } = await runInPage(browser, bundle.code, run);
  expect(report).toEqual(here);
  expect(complaints).toEqual([]);
});
