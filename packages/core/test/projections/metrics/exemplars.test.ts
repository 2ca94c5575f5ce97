import { describe, expect, it } from 'vitest';
import type { Metrics } from '../../../src/projections/metrics/create-metrics.ts';
import { fed, ofCall, stamp, stamped, succeeded } from './metric-events.ts';

describe('exemplars', () => {
  const exemplarsOf = (metrics: Metrics): readonly unknown[] => {
    const family = metrics.family('attemptDuration');
    return family.type === 'histogram' ? family.series.flatMap(({ buckets }) => buckets.flatMap(({ exemplar }) => exemplar ?? [])) : [];
  };

  it('show the latest observation of each bucket, with turn and call', () => {
    const labels = { turn_id: 'turn-1', call_id: 'call-1' };
    const metrics = fed([succeeded('search', 1), succeeded('search', 2), succeeded('search', 700)]);
    expect(exemplarsOf(metrics)).toEqual([
      { labels, value: 0.002, timestamp: stamp.timestamp },
      { labels, value: 0.7, timestamp: stamp.timestamp },
    ]);
  });

  it('are the same for events with further fields', () => {
    const event = stamped({ event_type: 'ToolSucceeded', ...ofCall('search'), attempt: 1, duration_ms: 1, output: { rows: [1] } });
    expect(exemplarsOf(fed([event]))).toEqual(exemplarsOf(fed([succeeded('search', 1)])));
  });

  it('have the trace of the host, and no more characters than OpenMetrics allows', () => {
    const traceContext = (): { readonly trace_id: string } => ({ trace_id: 'f'.repeat(32) });
    const long = stamped({ event_type: 'ToolSucceeded', ...ofCall('search', 'x'.repeat(120)), attempt: 1, duration_ms: 1 });
    expect(exemplarsOf(fed([long], { traceContext }))).toMatchObject([{ labels: { trace_id: 'f'.repeat(32), turn_id: 'turn-1' } }]);
    const broken = (): never => {
      throw new Error('broken');
    };
    expect(exemplarsOf(fed([succeeded('search')], { traceContext: broken }))).toMatchObject([{ labels: { turn_id: 'turn-1' } }]);
  });
});
