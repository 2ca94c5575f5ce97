/** Owns merging the events of all processes: alerts are about tools, not about processes. */
import type { TraceEvent } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { createMetrics, type Metrics } from '@holdfast/core/metrics';
import type { ToolRuntime } from '../composition/tool-runtime.ts';
import { version } from '../plain/version.ts';
import type { StoreTail } from './store-tail.ts';

export interface Watched {
  readonly service: { subscribe(listener: (event: TraceEvent) => void): () => void };
  readonly metrics: Pick<Metrics, 'samples' | 'readActive'>;
}

/** These metrics are separate from those for a scrape, which are of this process only: every process is scraped. */
export function watchAll({ service }: Pick<ToolRuntime, 'service'>, tail: StoreTail, store: Pick<Store, 'status'> | undefined): Watched {
  const metrics = createMetrics({ given: () => ({ version, traceDropped: store?.status().dropped ?? 0, alertsFiring: {} }) });
  const subscribe = (listener: (event: TraceEvent) => void): (() => void) => {
    const stops = [service.subscribe(listener), tail.subscribe((events) => events.forEach((event) => listener(event)))];
    return () => stops.forEach((stop) => stop());
  };
  subscribe((event) => metrics.observe(event));
  return { service: { subscribe }, metrics };
}
