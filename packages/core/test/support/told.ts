/**
 * Whole traces: for each way a call or a turn can go, its results and every event with every field, in `traces/` beside the test. They are what
 * users store and replay, so a change of them is a change of the data format. Write them anew with UPDATE_TRACES=1 and read the difference.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TraceEvent } from '../../src/engine/trace/events.ts';
import type { Way } from './scene.ts';

/** A live error is said by its message: its stack is another one on every machine. */
const plain = (key: string, value: unknown): unknown =>
  key === 'cause' && value instanceof Error ? `${value.name}: ${value.message}` : typeof value === 'bigint' ? `${String(value)}n` : value;

/** Without the settings of all tools, which are there for the replay and told by its tests. */
const fieldsOf = ({ turn_id: _turn, seq: _seq, timestamp: _timestamp, ...event }: TraceEvent): object => {
  const { tools: _tools, base: _base, ...fields } = event as { readonly tools?: unknown; readonly base?: unknown };
  return fields;
};

const line = (event: TraceEvent): string => {
  const { event_type: _type, elapsed_ms: _elapsed, ...fields } = fieldsOf(event) as Partial<TraceEvent>;
  return `${String(Math.round(event.elapsed_ms)).padStart(6)} ${event.event_type} ${JSON.stringify(fields, plain)}`;
};

function undefinedIn(value: unknown, path = ''): readonly string[] {
  if (value === undefined) return [path];
  if (typeof value !== 'object' || value === null || value instanceof Error) return [];
  return Object.entries(value).flatMap(([name, part]) => undefinedIn(part, `${path}.${name}`));
}

/** @param folder where the traces are */
export async function expectTold({ name, go }: Way, folder: string): Promise<void> {
  const { results, trace } = await go();
  // A field is there or it is not: `undefined` would be lost on the way to a store.
  expect(undefinedIn({ trace: trace.map(fieldsOf), results: results.map(({ output: _output, ...result }) => result) })).toEqual([]);
  const told = [...results.map((result) => `result ${JSON.stringify(result, plain)}`), ...trace.map(line), ''].join('\n');
  const file = join(folder, `${name.replaceAll(/[^a-z0-9]+/g, '-')}.txt`);
  if (process.env['UPDATE_TRACES'] === '1') writeFileSync(file, told);
  expect(existsSync(file)).toBe(true);
  expect(told).toBe(readFileSync(file, 'utf8'));
}
