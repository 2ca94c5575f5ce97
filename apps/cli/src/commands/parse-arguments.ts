/** Parses numbers, ports, places, durations and times from the command line. */
import { InvalidArgumentError } from 'commander';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const durationPattern = /^(\d+(?:\.\d+)?)(ms|[smhd])$/;

/** `500ms`, `20s`, `1.5m`: milliseconds. `undefined` if it is no duration. */
function durationOf(text: string): number | undefined {
  const [, number, unit = ''] = durationPattern.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (units[unit] ?? 0);
}

/** A duration with a unit, or a whole number of milliseconds. Returns milliseconds, at most what a timer can wait. */
export function parseDuration(text: string): number {
  const milliseconds = Math.round(durationOf(text) ?? (/^\d+$/.test(text) ? Number(text) : 0));
  if (milliseconds >= 1 && milliseconds <= 2_147_483_647) return milliseconds;
  throw new InvalidArgumentError('Give a duration, such as 500ms, 20s or 5m; at most 24d.');
}

export function parseCount(text: string): number {
  return parseInteger(text, 1_000_000, 'Give a whole number of at least 1.');
}

/** Run numbers from a database can be large. */
export function parseRunNumber(text: string): number {
  return parseInteger(text, Number.MAX_SAFE_INTEGER, 'Give the number of a run, as `turns` shows it.');
}

/** 0 means any free port. */
export function parsePort(text: string): number {
  return text === '0' ? 0 : parseInteger(text, 65_535, 'Give a port: a whole number from 0 to 65535.');
}

/** The place of a store. */
export function parsePlace(text: string): string {
  if (text.trim() !== '' && (!/^[a-z][\w+.-]+:\/\//i.test(text) || /^postgres(?:ql)?:/i.test(text))) return text;
  throw new InvalidArgumentError('Give a file, a database (postgres://…) or none.');
}

function parseInteger(text: string, max: number, hint: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new InvalidArgumentError(hint);
}

/** Accepts an age (`90s`, `30m`, `24h`, `7d`) or a time (`2026-11-22`, `2026-11-22T10:00:00Z`). Returns milliseconds since 1970. */
export function parseSince(text: string): number {
  const age = durationOf(text);
  const at = age === undefined ? Date.parse(text) : Date.now() - age;
  if (Number.isFinite(at) && at >= 0 && (age !== undefined || /^\d{4}-\d\d-\d\d/.test(text))) return Math.round(at);
  throw new InvalidArgumentError('Give an age, such as 30m, 24h or 7d, or a time, such as 2026-11-22T10:00:00Z.');
}
