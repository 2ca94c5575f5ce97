/**
 * Owns the table of all metrics: one row per family. Names, labels and help are public interface: users' rules and dashboards depend on them.
 *
 * Invariants
 * 1. Base units (seconds), counters end in `_total`, states are one-hot gauges.
 * 2. Labels are bounded: closed sets, registered tools, or capped (`limit`). Never a call, a turn or a message.
 */
import type { MetricDefinition } from './families.ts';
import { processMetricDefinitions, type ProcessMetricKey } from './process-metric-names.ts';
import { toolMetricDefinitions, type ToolMetricKey } from './tool-metric-names.ts';

/** Key of a family in `metricDefinitions`. */
export type MetricKey = ToolMetricKey | ProcessMetricKey;

/** All families, in the order in which they are shown. */
export const metricDefinitions: Readonly<Record<MetricKey, MetricDefinition>> = { ...toolMetricDefinitions, ...processMetricDefinitions };
