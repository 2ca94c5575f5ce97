/** Owns how figures are written. */
import { percent, type MetricUnit } from '@holdfast/simulate/report';

export function formatDuration(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`;
  return seconds < 5_999.5 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

export function formatMetric(value: number | 'never' | null, unit: MetricUnit): string {
  if (value === null) return '–';
  if (value === 'never') return 'never';
  if (unit === 'fraction') return `${percent(value)} %`;
  if (unit === 'milliseconds') return formatDuration(value);
  if (unit === 'seconds') return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} s`;
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 100 ? 2 : 0);
}
