/**
 * Whole traces: for each way a call or a turn can go, its results and every event with every field, in `traces/` beside the test. They are what
 * users store and replay, so a change of them is a change of the data format. Write them anew with UPDATE_TRACES=1 and read the difference.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.ts';
import type { Way } from './scene.ts';

/** A live error is said by its message: its stack is another one on every machine. */
const plain = (key: string, value: unknown): unknown =>
  key === 'cause' && value instanceof Error ? `${value.name}: ${value.message}` : typeof value === 'bigint' ? `${String(value)}n` : value;

const line = (event: TraceEvent): string => {
  const { event_type, elapsed_ms, turn_id: _turn, seq: _seq, timestamp: _timestamp, ...fields } = event;
  // All settings of all tools, for the replay: told by its own tests.
  const { tools: _tools, base: _base, ...told } = fields as { readonly tools?: unknown; readonly base?: unknown };
  return `${String(Math.round(elapsed_ms)).padStart(6)} ${event_type} ${JSON.stringify(told, plain)}`;
};

/** @param folder where the traces are */
export async function expectTold({ name, go }: Way, folder: string): Promise<void> {
  const { results, trace } = await go();
  const told = [...results.map((result) => `result ${JSON.stringify(result, plain)}`), ...trace.map(line), ''].join('\n');
  const file = join(folder, `${name.replaceAll(/[^a-z0-9]+/g, '-')}.txt`);
  if (process.env['UPDATE_TRACES'] === '1') writeFileSync(file, told);
  expect(existsSync(file)).toBe(true);
  expect(told).toBe(readFileSync(file, 'utf8'));
}
