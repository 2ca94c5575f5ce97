/** Owns the check of the settings of a circuit's failure rate. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { PathStep } from '../problem.ts';
import { quote } from '../shape/describe.ts';
import type { Checking } from './checking.ts';

type Plain = Readonly<Record<string, unknown>>;

/** `slow_call_ms` and `slow_call_rate` go together. */
export function checkRate(policy: Plain, path: readonly PathStep[], { source, reading }: Checking): void {
  const breaker = policy['circuit_breaker'];
  const rate = isRecord(breaker) ? breaker['rate'] : undefined;
  if (!isRecord(rate)) return;
  const [given, missing] = rate['slow_call_ms'] === undefined ? ['slow_call_rate', 'slow_call_ms'] : ['slow_call_ms', 'slow_call_rate'];
  if (rate[given] === undefined || rate[missing] !== undefined) return;
  const where = [...path, 'circuit_breaker', 'rate', given];
  source.report({
    code: 'missing_key',
    at: reading.keyAt(...where),
    path: where,
    message: `${quote(given)} is set without ${quote(missing)}`,
    allowed: 'both or none',
  });
}
