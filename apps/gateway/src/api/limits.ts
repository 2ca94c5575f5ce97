/** Owns the default limits of the API and their validation. */
import type { ApiLimits } from './parts.ts';
import { maxTimerMs } from '@holdfast/core/internal/plain';

const defaultLimits: ApiLimits = {
  bodyBytes: 4 * 1024 * 1024,
  bodyDepth: 100,
  planCalls: 1_000,
  planParts: 30_000,
  runningTurns: 100,
  runningCalls: 1_000,
  streams: 200,
  turnTasks: 4,
  turnTaskEvents: 20_000,
  slowReaderMs: 30_000,
  heartbeatMs: 15_000,
  answerChars: 32 * 1024 * 1024,
  keptAnswerChars: 16 * 1024 * 1024,
  keptAnswerMs: 15 * 60_000,
};

/** @throws RangeError that names the invalid limit */
export function limitsOf(given: Partial<ApiLimits> = {}): ApiLimits {
  const limits = { ...defaultLimits, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (!(value > 0)) throw new RangeError(`createApi: limits.${name} is ${String(value)}; use a number above 0.`);
  }
  const { slowReaderMs, heartbeatMs } = limits;
  return { ...limits, slowReaderMs: Math.min(slowReaderMs, maxTimerMs), heartbeatMs: Math.min(heartbeatMs, maxTimerMs) };
}
