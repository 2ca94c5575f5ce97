/** Owns the reading of numbers from the command line. */
import { InvalidArgumentError } from 'commander';

export function milliseconds(text: string): number {
  return parseInteger(text, 2_147_483_647, 'Give milliseconds: a whole number from 1 to 2147483647.');
}

export function count(text: string): number {
  return parseInteger(text, 1_000_000, 'Give a whole number of at least 1.');
}

/** A database numbers runs far apart. */
export function runNumber(text: string): number {
  return parseInteger(text, Number.MAX_SAFE_INTEGER, 'Give the number of a run, as `turns` shows it.');
}

/** 0 stands for any free one. */
export function port(text: string): number {
  return text === '0' ? 0 : parseInteger(text, 65_535, 'Give a port: a whole number from 0 to 65535.');
}

function parseInteger(text: string, most: number, hint: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
  throw new InvalidArgumentError(hint);
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `24h`, `7d`; or a moment, such as `2026-11-22` or `2026-11-22T10:00:00Z`. Answers milliseconds since 1970. */
export function moment(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  const at = number === undefined ? Date.parse(text) : Date.now() - Number(number) * (units[unit] ?? 0);
  if (Number.isFinite(at) && at >= 0 && (number !== undefined || /^\d{4}-\d\d-\d\d/.test(text))) return Math.round(at);
  throw new InvalidArgumentError('Give how long ago, such as 30m, 24h or 7d, or a moment, such as 2026-11-22T10:00:00Z.');
}
