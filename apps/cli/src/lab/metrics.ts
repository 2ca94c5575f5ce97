/** The metrics of a simulation, by the names that users write. */
import type { Summary } from '@holdfast/simulate';
import { percent } from '@holdfast/simulate/report';
import { formatDuration } from '../view/text/format.ts';

type Unit = 'fraction' | 'milliseconds' | 'seconds' | 'number';

export interface LabMetric {
  readonly key: string;
  readonly property: Exclude<keyof Summary, 'notes'>;
  readonly unit: Unit;
}

const metric = (key: string, property: LabMetric['property'], unit: Unit): LabMetric => ({ key, property, unit });

export const labMetrics: readonly LabMetric[] = [
  metric('success', 'success', 'fraction'),
  metric('success_during', 'during', 'fraction'),
  metric('success_after_30s', 'after30s', 'fraction'),
  metric('call_success', 'callSuccess', 'fraction'),
  metric('mean_ms', 'meanMs', 'milliseconds'),
  metric('p50_ms', 'p50Ms', 'milliseconds'),
  metric('p95_ms', 'p95Ms', 'milliseconds'),
  metric('p99_ms', 'p99Ms', 'milliseconds'),
  metric('failed_wait_ms', 'failedWaitMs', 'milliseconds'),
  metric('requests_per_call', 'requestsPerCall', 'number'),
  metric('requests_per_call_during', 'requestsPerCallDuring', 'number'),
  metric('peak_per_second', 'peakPerSecond', 'number'),
  metric('recovery_s', 'recoveryS', 'seconds'),
  metric('duplicates', 'duplicates', 'number'),
  metric('partial_turns', 'partialTurns', 'number'),
  metric('wasted_requests', 'wastedRequests', 'number'),
  metric('turns', 'turns', 'number'),
  metric('calls', 'calls', 'number'),
  metric('requests', 'requests', 'number'),
];

type Values = { readonly [Property in LabMetric['property']]: number | 'never' | null };

/** Every metric by its key. */
export const metricData = (values: Values): Readonly<Record<string, number | 'never' | null>> =>
  Object.fromEntries(labMetrics.map(({ key, property }) => [key, values[property]]));

/** The value for people; empty if the world has no such metric. */
export function formatMetric(value: number | 'never' | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '';
  if (value === 'never') return value;
  if (unit === 'fraction') return `${percent(value)}%`;
  if (unit === 'milliseconds') return formatDuration(value);
  if (unit === 'seconds') return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)}s`;
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 100 ? 2 : 0);
}
