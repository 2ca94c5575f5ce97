/** Formats numbers for people. The functions accept any input, since a trace may be malformed. */

/** `87ms`, `1.2s`, `31s`, `4m 05s`: at most 7 columns below 100 minutes. */
export function formatDuration(milliseconds: number | undefined): string {
  if (milliseconds === undefined || !Number.isFinite(milliseconds)) return '';
  const time = Math.max(0, milliseconds);
  if (time < 999.5) return `${Math.round(time)}ms`;
  if (time < 99_950) return `${(time / 1000).toFixed(1)}s`;
  if (time < 5_999_500) {
    const seconds = Math.round(time / 1000);
    return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`;
  }
  const minutes = Math.round(time / 60_000);
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`;
}

/** Like `formatDuration`, but without a trailing `.0`: `30s`, `1.5s`. */
export const formatLimit = (milliseconds: number | undefined): string => formatDuration(milliseconds).replace(/\.0s$/u, 's');

/** `1 retry`, `2 retries`. */
export const pluralize = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;

/** The time of day of an ISO timestamp, with milliseconds; any other text is returned as it is. */
export const formatTimeOfDay = (timestamp: unknown): string => {
  const text = typeof timestamp === 'string' ? timestamp : '';
  return /T(\d\d:\d\d:\d\d(?:\.\d{1,3})?)/u.exec(text)?.[1] ?? text;
};

/** Time since the start of the turn: `+1.234s`. */
export const formatElapsed = (milliseconds: unknown): string =>
  typeof milliseconds === 'number' && Number.isFinite(milliseconds) ? `+${(milliseconds / 1000).toFixed(3)}s` : '+?';
