/** Owns which settings are tried: first each alone, then combinations of good ones, then values in between. */
import { profiles, type ToolPolicy, type ToolSettings } from '@holdfast/core';
import { resolveSettings } from '@holdfast/core/internal';
import { isRecord } from '@holdfast/core/internal/plain';
import type { FittedTool } from './types.ts';

/** Values of one setting, without the current one. */
export interface Axis {
  readonly name: string;
  readonly values: readonly ToolPolicy[];
}

export function axesOf(current: ToolSettings, { p99Ms }: FittedTool): readonly Axis[] {
  const { retry, breaker } = current;
  const around = (...factors: readonly number[]): readonly number[] =>
    p99Ms === 0 ? [] : factors.map((factor) => niceMs(p99Ms * factor)).filter((ms) => ms < current.timeoutMs * 2);
  const axes: readonly Axis[] = [
    { name: 'profile', values: [ofProfile('adaptive'), ofProfile('service')] },
    { name: 'attempts', values: [1, 2, 3, 5, 8].map((maxAttempts) => ({ retry: { maxAttempts } })) },
    { name: 'timeout', values: around(1.5, 3).map((timeoutMs) => ({ timeoutMs })) },
    { name: 'retry time', values: [2_000, 10_000, 30_000].map((maxTotalTimeMs) => ({ retry: { maxTotalTimeMs } })) },
    {
      name: 'delays',
      values: [100, 300, 1_000].map((initialDelayMs) => ({
        retry: { initialDelayMs, maxDelayMs: Math.max(retry.maxDelayMs, initialDelayMs * 8), jitter: 'full' as const },
      })),
    },
    {
      name: 'circuit',
      values: [
        ...[3, 10].map((failureThreshold) => ({ breaker: { failureThreshold } })),
        ...[1_000, 5_000].map((openMs) => ({ breaker: { openMs } })),
        ...(breaker === false ? [] : [{ breaker: false as const }]),
      ],
    },
    { name: 'retry budget', values: [{ retryBudget: { ratio: 0.2 } }, { retryBudget: false }] },
    {
      name: 'waiting',
      values: [{ waitForRecovery: { maxWaitMs: 10_000 } }, { waitForRecovery: { maxWaitMs: 40_000 } }, { waitForRecovery: false }],
    },
  ];
  const now = keyOf(current);
  return axes.map(({ name, values }) => ({ name, values: values.filter((value) => keyOf(resolveSettings(current, value)) !== now) }));
}

function ofProfile(name: 'adaptive' | 'service'): ToolPolicy {
  const { retry, breaker, concurrency, retryBudget, hedge, waitForRecovery } = profiles[name].tool;
  return { retry, breaker, concurrency, retryBudget, hedge, waitForRecovery };
}

/** Both changes; the second wins where they overlap. */
export function combine(one: ToolPolicy, other: ToolPolicy): ToolPolicy {
  const both: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = both[key];
    both[key] = isRecord(before) && isRecord(value) ? { ...before, ...value } : value;
  }
  return both as ToolPolicy;
}

/** Whether both can be merged over the current settings without breaking each other. */
export function isApart(one: ToolPolicy, other: ToolPolicy): boolean {
  return Object.keys(one).every((key) => !(key in other));
}

/** Numbers halfway between the current settings and these, rounded to two digits. */
export function halfway(current: ToolSettings, changes: ToolPolicy): ToolPolicy {
  const half = (from: unknown, to: unknown): unknown => {
    if (isRecord(to))
      return Object.fromEntries(Object.entries(to).map(([key, value]) => [key, half(isRecord(from) ? from[key] : undefined, value)]));
    if (typeof to !== 'number' || typeof from !== 'number' || !Number.isFinite(to) || !Number.isFinite(from)) return to;
    const middle = (from + to) / 2;
    return Math.abs(middle) < 2 ? Math.round(middle * 100) / 100 : twoDigits(middle);
  };
  return half(current, changes) as ToolPolicy;
}

export function keyOf(settings: ToolSettings): string {
  return JSON.stringify(settings, (_key, value: unknown) =>
    value === Infinity ? 'Infinity' : isRecord(value) ? sortedEntries(value) : value,
  );
}

/** An absent setting is off. */
const isOff = (value: unknown): boolean => value === undefined || value === false;

const isSame = (one: unknown, other: unknown): boolean => one === other || (isOff(one) && isOff(other));

const sortedEntries = (value: Plain): unknown =>
  Object.entries(value)
    .filter(([, inner]) => !isOff(inner))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

/** `retry.maxAttempts 3 → 5`, sorted. */
export function wordsOf(current: ToolSettings, changes: ToolPolicy): readonly string[] {
  const words: string[] = [];
  const addChange = (path: string, from: unknown, to: unknown): void => {
    if (isRecord(to) && isRecord(from)) for (const [key, value] of Object.entries(to)) addChange(`${path}.${key}`, from[key], value);
    else if (!isSame(from, to) && to !== undefined) words.push(`${path} ${formatValue(from)} → ${formatValue(to)}`);
  };
  for (const [key, value] of Object.entries(changes)) addChange(key, (current as unknown as Plain)[key], value);
  return words.toSorted();
}

/** The part of `changes` that differs from `current`. */
export function differing(current: ToolSettings, changes: ToolPolicy): ToolPolicy {
  const differ = (from: unknown, to: unknown): unknown => {
    if (!isRecord(to) || !isRecord(from)) return isSame(from, to) ? undefined : to;
    const entries = Object.entries(to).flatMap(([key, value]): [string, unknown][] => {
      const inner = differ(from[key], value);
      return inner === undefined ? [] : [[key, inner]];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  return (differ(current, changes) ?? {}) as ToolPolicy;
}

function formatValue(value: unknown): string {
  if (value === undefined || value === false) return 'off';
  return isRecord(value)
    ? `{ ${Object.entries(value)
        .map(([key, inner]) => `${key}: ${formatValue(inner)}`)
        .join(', ')} }`
    : (JSON.stringify(value === Infinity ? 'Infinity' : value) ?? '').replaceAll('"', '');
}

type Plain = Readonly<Record<string, unknown>>;

const unitOf = (value: number): number => 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(value)))) - 1);

const twoDigits = (value: number): number => Math.round(value / unitOf(value)) * unitOf(value);

/** Two digits are precise enough for a limit. */
const niceMs = (ms: number): number => Math.max(50, Math.ceil(ms / unitOf(ms)) * unitOf(ms));
