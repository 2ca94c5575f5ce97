/**
 * Every turn that a test runs is kept as data in `quality/acceptance/turns`: its calls and settings, without the behaviour of its tools. The fuzz runs each of
 * them with faults of its own. A test with a turn that is not kept fails, so that none is left out; `npm run fuzz:turns` rewrites them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ProfileName, ToolExecutionService, ToolSettings, TraceEvent } from '@holdfast/core';
import { profiles } from '@holdfast/core';
import { expect } from 'vitest';

/** A turn as stored in the file. */
interface KeptTurn {
  readonly profile: ProfileName;
  readonly tools: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly calls: readonly unknown[];
}

type KeptTurns = Readonly<Record<string, readonly KeptTurn[]>>;
type TurnStarted = Extract<TraceEvent, { event_type: 'TurnStarted' }>;
type CallStarted = Extract<TraceEvent, { event_type: 'CallStarted' }>;

const folder = join(import.meta.dirname, '../turns');
const isUpdate = process.env['UPDATE_TURNS'] === '1';

/** Checks that the turns and single calls among the events are kept under the name of the test. */
export function expectKept(
  test: { readonly name: string; readonly path: string },
  events: readonly TraceEvent[],
  { service, profile = 'spec' }: { readonly service: ToolExecutionService; readonly profile?: ProfileName | undefined },
): void {
  const path = join(folder, `${basename(test.path, '.test.ts')}.json`);
  const turns = turnsOf(events, service, profile);
  const all = read(path);
  const kept = (all[test.name] ?? []).map((turn) => JSON.stringify(turn));
  const missing = turns.filter((turn) => !kept.includes(JSON.stringify(turn)));
  if (!isUpdate) return expect(missing, `turns that are not kept: run 'npm run fuzz:turns'`).toEqual([]);
  if (missing.length === 0) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `${JSON.stringify({ ...all, [test.name]: [...(all[test.name] ?? []), ...missing] }, null, 1)}\n`);
}

function read(path: string): KeptTurns {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as KeptTurns) : {};
}

function turnsOf(events: readonly TraceEvent[], service: ToolExecutionService, profile: ProfileName): readonly KeptTurn[] {
  const planned = events.filter((event): event is TraceEvent & TurnStarted => event.event_type === 'TurnStarted');
  const ofTurns = new Set(planned.map(({ turn_id }) => turn_id));
  const single = events.filter(
    (event): event is TraceEvent & CallStarted => event.event_type === 'CallStarted' && !ofTurns.has(event.turn_id),
  );
  const turns = [...planned.map((started) => plannedTurn(started)), ...single.map((call) => singleCall(call, service, profile))];
  return turns.filter((turn, index) => turns.findIndex((other) => JSON.stringify(other) === JSON.stringify(turn)) === index);
}

function plannedTurn({ profile, calls, tools, timeout_ms, concurrency, on_deadline, max_retries }: TurnStarted): KeptTurn {
  const base = profiles[profile as ProfileName];
  const turn = { timeoutMs: timeout_ms, concurrency, onDeadline: on_deadline, maxRetries: max_retries };
  return plain({
    profile,
    tools: Object.fromEntries(Object.entries(tools).map(([name, settings]) => [name, whatDiffers(settings, base.tool)])),
    settings: whatDiffers(turn, base.turn),
    calls: calls.map(({ call_id, tool_id, depends_on, optional, critical, defaults, policy }) => ({
      callId: call_id,
      toolName: tool_id,
      ...(depends_on.length > 0 ? { dependsOn: depends_on } : {}),
      ...(optional ? { optional } : {}),
      ...(critical ? { critical } : {}),
      ...(defaults ? { defaults: Object.fromEntries(defaults.map((name) => [name, null])) } : {}),
      ...(policy ? { policy } : {}),
    })),
  });
}

function singleCall({ tool_id }: CallStarted, service: ToolExecutionService, profile: ProfileName): KeptTurn {
  const settings = service.getToolSettings(tool_id);
  const names = [tool_id, ...(settings?.alternatives ?? [])];
  const known = names.flatMap((name): readonly [string, ToolSettings][] => {
    const own = service.getToolSettings(name);
    return own ? [[name, own]] : [];
  });
  return plain({
    profile,
    tools: Object.fromEntries(known.map(([name, own]) => [name, whatDiffers(own, profiles[profile].tool)])),
    settings: { timeoutMs: null },
    calls: [{ callId: 'call', toolName: tool_id }],
  });
}

function whatDiffers(value: unknown, from: unknown): Readonly<Record<string, unknown>> {
  const base = from as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([name, part]: readonly [string, unknown]) => {
      const other = base[name];
      if (JSON.stringify(part) === JSON.stringify(other)) return [];
      const isNested = isPlain(part) && isPlain(other) && name !== 'fallback';
      return [[name, isNested ? whatDiffers(part, other) : part]];
    }),
  );
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** After a round trip through JSON. */
function plain(turn: unknown): KeptTurn {
  return JSON.parse(JSON.stringify(turn, (_key, value: unknown) => (value === Number.POSITIVE_INFINITY ? 'Infinity' : value))) as KeptTurn;
}
