/** Owns the figures of a run by the names that users write. */
import type { Summary } from '@holdfast/simulate';
import { duration } from '../view/text/format.ts';

type Unit = 'share' | 'milliseconds' | 'seconds' | 'number';

export interface LabFigure {
  readonly key: string;
  readonly property: Exclude<keyof Summary, 'notes'>;
  readonly unit: Unit;
}

const figure = (key: string, property: LabFigure['property'], unit: Unit): LabFigure => ({ key, property, unit });

export const labFigures: readonly LabFigure[] = [
  figure('success', 'success', 'share'),
  figure('success_during', 'during', 'share'),
  figure('success_after_30s', 'after30s', 'share'),
  figure('call_success', 'callSuccess', 'share'),
  figure('mean_ms', 'meanMs', 'milliseconds'),
  figure('p50_ms', 'p50Ms', 'milliseconds'),
  figure('p95_ms', 'p95Ms', 'milliseconds'),
  figure('p99_ms', 'p99Ms', 'milliseconds'),
  figure('failed_wait_ms', 'failedWaitMs', 'milliseconds'),
  figure('requests_per_call', 'requestsPerCall', 'number'),
  figure('requests_per_call_during', 'requestsPerCallDuring', 'number'),
  figure('peak_per_second', 'peakPerSecond', 'number'),
  figure('recovery_s', 'recoveryS', 'seconds'),
  figure('duplicates', 'duplicates', 'number'),
  figure('partial_turns', 'partialTurns', 'number'),
  figure('wasted_requests', 'wastedRequests', 'number'),
  figure('turns', 'turns', 'number'),
  figure('calls', 'calls', 'number'),
  figure('requests', 'requests', 'number'),
];

type Values = { readonly [Property in LabFigure['property']]: number | 'never' | null };

/** Every figure by its key. */
export const figureData = (values: Values): Readonly<Record<string, number | 'never' | null>> =>
  Object.fromEntries(labFigures.map(({ key, property }) => [key, values[property]]));

/** As people read it; nothing where there is no such figure in this world. */
export function shownFigure(value: number | 'never' | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '';
  if (value === 'never') return value;
  if (unit === 'share') return `${percent(value)}%`;
  if (unit === 'milliseconds') return duration(value);
  if (unit === 'seconds') return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)}s`;
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 100 ? 2 : 0);
}

/** 100.0 only when nothing that shows is missing. */
function percent(share: number): string {
  const tenths = share < 1 ? Math.min(999, Math.round(share * 1000)) : 1000;
  return (tenths / 10).toFixed(1);
}
