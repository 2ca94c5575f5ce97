/** The output of `tune --output json`. Settings are named as in a manifest. */
import { fromPolicy } from '@holdfast/manifest';
import type { Tuned, TunePoint } from '@holdfast/simulate';

export function tuningData({ toolName, fitted, current, points, recommended, leftOut, cancelled }: Tuned): unknown {
  const { callsPerSecond, failureShare, timeoutShare, throttledShare, p50Ms, p95Ms, p99Ms, ...counts } = fitted;
  return {
    tool_id: toolName,
    fitted: {
      ...counts,
      calls_per_second: callsPerSecond,
      failure_share: failureShare,
      timeout_share: timeoutShare,
      throttled_share: throttledShare,
      p50_ms: p50Ms,
      p95_ms: p95Ms,
      p99_ms: p99Ms,
    },
    current: pointData(current),
    points: points.map(pointData),
    ...(recommended && {
      recommended: {
        ...pointData(recommended.point),
        reason: recommended.reason,
        confidence: recommended.confidence,
        because: recommended.because,
      },
    }),
    left_out: leftOut.map(({ turnId, reason, message }) => ({ turn_id: turnId, reason, message })),
    cancelled,
  };
}

function pointData({ changes, words, lab, history, onFront }: TunePoint) {
  return {
    changes: fromPolicy(changes),
    words,
    on_front: onFront,
    lab: { success: lab.success, requests_per_call: lab.requestsPerCall, added_latency_ms: lab.addedLatencyMs, p99_ms: lab.p99Ms },
    ...(history && {
      history: {
        success: history.success,
        requests_per_call: history.requestsPerCall,
        mean_ms: history.meanMs,
        observed_share: history.observedShare,
      },
    }),
  };
}
