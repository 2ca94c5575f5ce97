/** The figures of a simulation as users read them. */
import { type MetricUnit, percent } from '@holdfast/simulate/report';
import { formatDuration } from '../view/text/format.ts';

/** The value for people; empty if the world has no such metric. */
export function formatMetric(value: number | 'never' | null | undefined, unit: MetricUnit): string {
  if (value === null || value === undefined) return '';
  if (value === 'never') return value;
  if (unit === 'fraction') return `${percent(value)}%`;
  if (unit === 'milliseconds') return formatDuration(value);
  if (unit === 'seconds') return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)}s`;
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 100 ? 2 : 0);
}
