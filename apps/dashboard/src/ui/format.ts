/** Formats numbers and times. The functions accept any input. */

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Joins a number and its unit with a non-breaking space. */
const unit = (number: string, name: string): string => `${number}\u00A0${name}`;

/** `0.4 ms`, `87 ms`, `1.2 s`, `31 s`, `4 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function formatDuration(milliseconds: number | null | undefined): string {
  if (!isNumber(milliseconds)) return '–';
  const time = Math.max(0, milliseconds);
  if (time < 9.95 && time > 0 && !Number.isInteger(time)) return unit(time.toFixed(1), 'ms');
  if (time < 999.5) return unit(String(Math.round(time)), 'ms');
  if (time < 9995) return unit(trimZeros(time / 1000, 2), 's');
  if (time < 99_950) return unit(trimZeros(time / 1000, 1), 's');
  const seconds = Math.round(time / 1000);
  if (seconds < 3600) return two(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return two(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  return two(Math.floor(minutes / 1440), 'd', Math.floor((minutes % 1440) / 60), 'h');
}

const two = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? unit(String(large), largeUnit) : `${unit(String(large), largeUnit)} ${unit(String(small), smallUnit)}`;

const trimZeros = (value: number, digits: number): string => value.toFixed(digits).replace(/\.?0+$/u, '');

/** `held for 8 s`, in whole seconds; empty when the hold is over or there is none. `until` is ISO 8601. */
export function formatHold(until: string | undefined, now: number): string {
  const left = until === undefined ? 0 : Date.parse(until) - now;
  return left > 0 ? `held for ${formatDuration(Math.ceil(left / 1000) * 1000)}` : '';
}

/** Two durations: `89 · 284 ms`, `850 ms · 1.2 s`. */
export function formatDurations(one: number | null | undefined, other: number | null | undefined): string {
  const [first, second] = [formatDuration(one), formatDuration(other)];
  const [number = '', name] = first.split('\u00A0');
  const same = name !== undefined && !first.includes(' ') && second.endsWith(`\u00A0${name}`) && !second.includes(' ');
  return `${same ? number : first} · ${second}`;
}

/** `0 %`, `0.4 %`, `12 %`, `99.9 %`, `100 %`. Never rounds to 0 % or 100 %. */
export function formatPercent(share: number | null | undefined): string {
  if (!isNumber(share)) return '–';
  const hundredths = share * 100;
  if (hundredths <= 0) return unit('0', '%');
  if (hundredths >= 100) return unit('100', '%');
  if (hundredths < 0.1) return unit('<\u00A00.1', '%');
  if (hundredths > 99.9) return unit('>\u00A099.9', '%');
  return unit(hundredths < 10 || hundredths > 99 ? trimZeros(hundredths, 1) : String(Math.round(hundredths)), '%');
}

const grouped = new Intl.NumberFormat('en', { useGrouping: true, maximumFractionDigits: 1 });

/** `1,204`. */
export const formatNumber = (value: number | null | undefined): string => (isNumber(value) ? grouped.format(value) : '–');

/** A short form for narrow places: `950`, `12.3k`, `4.1M`. */
export function formatShortNumber(value: number | null | undefined): string {
  if (!isNumber(value)) return '–';
  if (Math.abs(value) < 10_000) return formatNumber(value);
  return Math.abs(value) < 999_950 ? `${trimZeros(value / 1000, 1)}k` : `${trimZeros(value / 1_000_000, 1)}M`;
}

/** `1 call`, `1,204 calls`. */
export const pluralize = (value: number, one: string, many = `${one}s`): string =>
  `${formatNumber(value)}\u00A0${value === 1 ? one : many}`;

/** `3.2 MB`. */
export function formatBytes(value: number): string {
  if (value < 1000) return unit(String(value), 'B');
  if (value < 1_000_000) return unit(trimZeros(value / 1000, 1), 'kB');
  return value < 1_000_000_000 ? unit(trimZeros(value / 1_000_000, 1), 'MB') : unit(trimZeros(value / 1_000_000_000, 1), 'GB');
}

/** `now`, `12 s ago`, `5 min ago`, `3 h ago`, `2 d ago`; `in 5 s` for the future. */
export function formatRelative(at: string | number, now: number): string {
  const time = typeof at === 'number' ? at : Date.parse(at);
  if (!Number.isFinite(time)) return '–';
  const away = Math.abs(now - time);
  if (away < 1500) return 'now';
  return time > now ? `in ${largest(away)}` : `${largest(away)} ago`;
}

function largest(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return unit(String(seconds), 's');
  if (seconds < 3600) return unit(String(Math.floor(seconds / 60)), 'min');
  return seconds < 48 * 3600 ? unit(String(Math.floor(seconds / 3600)), 'h') : unit(String(Math.floor(seconds / 86_400)), 'd');
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const sameDay = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

/** `14:03:22.481`. */
export const formatExactTime = (at: string | number): string =>
  formatDate(at, (date) => `${clock.format(date)}.${String(date.getMilliseconds()).padStart(3, '0')}`);

/** `14:03:22` today, `21 Nov, 14:03:22` on other days. */
export const formatDayAndTime = (at: string | number, now: number): string =>
  formatDate(at, (date) =>
    sameDay.format(date) === sameDay.format(now) ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`,
  );

const formatDate = (at: string | number, write: (date: Date) => string): string => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '–' : write(date);
};

/** `a`, `a and b`, `a, b and c`. */
export const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;

/** `failure_threshold` → `failure threshold`. */
export const humanize = (name: string): string => name.replaceAll('_', ' ').toLowerCase();
