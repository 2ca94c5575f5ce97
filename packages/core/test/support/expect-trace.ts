/**
 * Complete traces: the results of each scenario and every event with every field, in `traces/` beside the test. Users store and replay them, so a
 * change is a change of the data format. UPDATE_TRACES=1 rewrites them; review the difference.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TraceEvent } from '../../src/engine/trace/events.ts';
import type { Scenario } from './scenario.ts';

/** An error is written as its message: its stack differs between machines. */
const plain = (key: string, value: unknown): unknown =>
  key === 'cause' && value instanceof Error ? `${value.name}: ${value.message}` : typeof value === 'bigint' ? `${String(value)}n` : value;

/** Without the settings of all tools, which the tests of the replay cover. */
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

/** @param folder of the traces */
export async function expectRecordedTrace({ name, run }: Scenario, folder: string): Promise<void> {
  const { results, trace } = await run();
  // No field is `undefined`: a store would lose it.
  expect(undefinedIn({ trace: trace.map(fieldsOf), results: results.map(({ output: _output, ...result }) => result) })).toEqual([]);
  const text = [...results.map((result) => `result ${JSON.stringify(result, plain)}`), ...trace.map(line), ''].join('\n');
  const file = join(folder, `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.txt`);
  if (process.env['UPDATE_TRACES'] === '1') writeFileSync(file, text);
  expect(existsSync(file)).toBe(true);
  expect(text).toBe(readFileSync(file, 'utf8'));
}
