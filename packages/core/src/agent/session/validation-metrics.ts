/** Owns the counters and histograms of validation retries (docs/specification.md#s2-observability), as a fold over the events of a session or of the trace. */
import { checkEvent } from '../../engine/trace/check-event.ts';
import { checkShape, type Fields } from '../../engine/settings/check.ts';
import type { TraceEventBody } from '../../engine/trace/events.ts';
import type { SessionEventBody } from './events.ts';
import type { Histogram } from './histogram.ts';
import { emptyHistogram, observe } from './histogram.ts';

/** Counters and histograms of validation retries (docs/specification.md#s2-observability). */
export interface ValidationMetrics {
  /** Scheduled retries. */
  readonly validation_retry_total: number;
  /** Failures of reducers. */
  readonly reducer_error_total: number;
  /** Actions whose attempts are used up. */
  readonly validation_exhausted_total: number;
  /** Delays before the next attempt. */
  readonly validation_retry_delay_seconds: Histogram;
  /** Attempts of actions whose first attempt failed, whether corrected or given up. */
  readonly validation_attempts: Histogram;
}

/** The metrics before the first event. */
export const emptyValidationMetrics: ValidationMetrics = {
  validation_retry_total: 0,
  reducer_error_total: 0,
  validation_exhausted_total: 0,
  validation_retry_delay_seconds: emptyHistogram([0, 0.1, 0.5, 1, 2, 5, 10, 30, 60]),
  validation_attempts: emptyHistogram([1, 2, 3, 4, 5, 10]),
};

const metricsFields: Fields = { validation_retry_total: 'number' };

/** Returns the metrics after one more event. */
export function foldValidationMetrics(metrics: ValidationMetrics, event: SessionEventBody | TraceEventBody): ValidationMetrics {
  checkShape(metricsFields, metrics, 'foldValidationMetrics: metrics');
  checkEvent(event, 'foldValidationMetrics');
  switch (event.event_type) {
    case 'ValidationRetryScheduled':
      return {
        ...metrics,
        validation_retry_total: metrics.validation_retry_total + 1,
        validation_retry_delay_seconds: observe(metrics.validation_retry_delay_seconds, event.delay_ms / 1_000),
      };
    case 'ValidationRetryExhausted':
      return {
        ...metrics,
        validation_exhausted_total: metrics.validation_exhausted_total + 1,
        validation_attempts: observe(metrics.validation_attempts, event.attempt),
      };
    case 'ValidationRecovered':
      return { ...metrics, validation_attempts: observe(metrics.validation_attempts, event.attempts) };
    case 'ReducerFailed':
      return { ...metrics, reducer_error_total: metrics.reducer_error_total + 1 };
    default:
      return metrics;
  }
}
