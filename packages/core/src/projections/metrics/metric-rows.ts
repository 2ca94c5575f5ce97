/** Owns short ways to write a row of the table of metrics. */
import type { MetricDefinition } from './families.ts';

type Row<Left extends keyof MetricDefinition> = Omit<MetricDefinition, Left>;

export const alone = (values: readonly string[]): readonly (readonly string[])[] => values.map((value) => [value]);
export const counter = (row: Row<'type'>): MetricDefinition => ({ type: 'counter', ...row });
export const gauge = (row: Row<'type'>): MetricDefinition => ({ type: 'gauge', ...row });
export const durations = (row: Row<'type' | 'unit'>): MetricDefinition => ({ type: 'histogram', unit: 'seconds', ...row });
