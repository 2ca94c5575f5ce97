/** The travel example, started like `npm start` does. */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Ended, Folder, follow, lines } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const root = join(import.meta.dirname, '../../../..');

let folder: Folder;
let demo: Ended;
let trace: Record<string, unknown>[];

beforeAll(async () => {
  folder = new Folder();
  const store = folder.at('trace.db');
  const args = ['--conditions=@holdfast/source', 'tools/start.ts', '--store', store, '--turn-id', 'lisbon'];
  demo = await follow(
    spawn(process.execPath, args, { cwd: root, env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] }),
  ).ended;
  trace = lines((await folder.run(['trace', 'lisbon', '-o', 'json', '--store', store])).stdout);
});
afterAll(() => folder.remove());

const eventsOf = (type: string, call?: string): readonly Record<string, unknown>[] =>
  trace.filter((event) => event['event_type'] === type && (call === undefined || event['call_id'] === call));

test('exits with 0 and prints the trace store and the next commands', () => {
  expect(demo.stderr).toContain('turn lisbon');
  expect(demo.code).toBe(0);
  expect(demo.stderr).toContain('trace.db');
  expect(demo.stderr).toContain('explain flight_search');
  expect(JSON.parse(demo.stdout)).toMatchObject({ outcome: 'success', escalated: false });
});

test('stops calling flight_search when the circuit opens, and uses the backup', () => {
  expect(eventsOf('CircuitBreakerOpened')).toMatchObject([{ tool_id: 'flight_search', failure_count: 5 }]);
  expect(eventsOf('CallCompleted', 'flight_search')).toMatchObject([
    { status: 'success', served_by: 'flight_search_backup', fallback_used: true },
  ]);
});

test('does not call flight_search for the flight back', () => {
  expect(eventsOf('CallRefused', 'flight_back')).toMatchObject([{ code: 'CIRCUIT_OPEN' }]);
  expect(eventsOf('AttemptStarted', 'flight_back')).toMatchObject([{ tool_id: 'flight_search_backup' }]);
});

test('waits at least as long as the Retry-After of the hotels', () => {
  expect(Number(eventsOf('RetryScheduled', 'hotel_search')[0]?.['delay_ms'])).toBeGreaterThanOrEqual(2000);
  const [first, second] = eventsOf('AttemptStarted', 'hotel_search');
  expect(Number(second?.['elapsed_ms']) - Number(first?.['elapsed_ms'])).toBeGreaterThanOrEqual(2000);
});

test('retries the weather, accepts partial restaurants, uses a default for the activities, skips their booking', () => {
  expect(eventsOf('CallCompleted', 'weather')).toMatchObject([{ status: 'success', attempts: 3 }]);
  expect(eventsOf('CallCompleted', 'restaurants')).toMatchObject([{ status: 'success', partial: true }]);
  expect(eventsOf('CallCompleted', 'activity_search')).toMatchObject([{ status: 'timeout', attempts: 2 }]);
  expect(eventsOf('DefaultUsed', 'compare_prices')).toMatchObject([{ dependency: 'activity_search' }]);
  expect(eventsOf('ToolSkipped', 'book_activities')).toMatchObject([{ optional: true, decision: 'skip' }]);
  expect(eventsOf('CallCompleted', 'create_itinerary')).toMatchObject([{ status: 'success' }]);
});

test('waits for the same delays every time', () => {
  const delays = eventsOf('RetryScheduled').map((event) => [event['call_id'], Math.round(Number(event['delay_ms']))]);
  expect(delays.filter(([call]) => call === 'flight_search')).toEqual([213, 416, 834, 1623].map((delay) => ['flight_search', delay]));
});

/** `script` of util-linux, which runs a command on a pseudo-terminal. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

test.runIf(hasScript)('closing the terminal ends the gateway', async () => {
  const command = [process.execPath, '--conditions=@holdfast/source', 'tools/start.ts', '--store', folder.at('closed.db')];
  const terminal = spawn('script', ['-qec', command.map((part) => `'${part}'`).join(' '), '/dev/null'], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text));
  await vi.waitFor(() => expect(screen).toContain('runs until ctrl-C'), 120_000);
  const url = /over HTTP +curl (http:\/\/127\.0\.0\.1:\d+)/.exec(screen)?.[1] ?? '';
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  // With the program that holds it, the terminal is gone.
  terminal.kill('SIGKILL');
  await vi.waitFor(() => expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed'), { timeout: 30_000, interval: 200 });
});
