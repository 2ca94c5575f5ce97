/** Owns helpers that build rows of the table of metrics. */
import type { MetricDefinition } from './families.ts';

type Row<Omitted extends keyof MetricDefinition> = Omit<MetricDefinition, Omitted>;

/** Label values for a family with one label, one series each. */
export const singles = (values: readonly string[]): readonly (readonly string[])[] => values.map((value) => [value]);
export const counter = (row: Row<'type'>): MetricDefinition => ({ type: 'counter', ...row });
export const gauge = (row: Row<'type'>): MetricDefinition => ({ type: 'gauge', ...row });
export const durations = (row: Row<'type' | 'unit'>): MetricDefinition => ({ type: 'histogram', unit: 'seconds', ...row });
