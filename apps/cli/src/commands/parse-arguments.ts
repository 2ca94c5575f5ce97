/** Parses numbers, ports, places and times from the command line. */
import { InvalidArgumentError } from 'commander';

export function parseMilliseconds(text: string): number {
  return parseInteger(text, 2_147_483_647, 'Give milliseconds: a whole number from 1 to 2147483647.');
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
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('Give a file, a database (postgres://…) or none.');
}

function parseInteger(text: string, max: number, hint: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new InvalidArgumentError(hint);
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Accepts an age (`90s`, `30m`, `24h`, `7d`) or a time (`2026-11-22`, `2026-11-22T10:00:00Z`). Returns milliseconds since 1970. */
export function parseSince(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  const at = number === undefined ? Date.parse(text) : Date.now() - Number(number) * (units[unit] ?? 0);
  if (Number.isFinite(at) && at >= 0 && (number !== undefined || /^\d{4}-\d\d-\d\d/.test(text))) return Math.round(at);
  throw new InvalidArgumentError('Give an age, such as 30m, 24h or 7d, or a time, such as 2026-11-22T10:00:00Z.');
}
