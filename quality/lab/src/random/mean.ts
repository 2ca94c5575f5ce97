/** Owns the mean of a distribution. */
import type { Distribution } from '@holdfast/simulate';

export function meanOf(latency: Distribution): number {
  switch (latency.kind) {
    case 'constant':
      return latency.ms;
    case 'uniform':
      return (latency.minMs + latency.maxMs) / 2;
    case 'exponential':
    case 'lognormal':
      return latency.meanMs;
    case 'measured':
      return latency.valuesMs.reduce((sum, value) => sum + value, 0) / latency.valuesMs.length;
  }
}
