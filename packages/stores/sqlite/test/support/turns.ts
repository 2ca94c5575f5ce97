import type { TraceEvent } from '@holdfast/core';
import type { TraceEventBody } from '@holdfast/core/trace';

/** The events of a small turn: started, one call with `steps` progress notes, and the end unless `open`. */
export function turnEvents(turnId: string, startedAt: number, steps = 1, open = false): readonly TraceEvent[] {
  const call = { call_id: `${turnId}-call`, tool_id: 'flight_search' } as const;
  const bodies: readonly TraceEventBody[] = [
    {
      event_type: 'TurnStarted',
      seed: 'seed',
      profile: 'spec',
      timeout_ms: null,
      concurrency: 4,
      on_deadline: 'detach',
      max_retries: null,
      calls: [{ ...call, depends_on: [] }],
      tools: {},
      base: {},
      recovery_rules: [],
      circuits: {},
    },
    { event_type: 'CallStarted', ...call },
    ...Array.from({ length: steps }, (_, step): TraceEventBody => ({ event_type: 'ToolProgress', ...call, attempt: 1, progress: step })),
  ];
  const end: readonly TraceEventBody[] = [
    { event_type: 'CallCompleted', ...call, status: 'success', served_by: 'flight_search', attempts: 1, execution_time_ms: 3 },
    {
      event_type: 'TurnCompleted',
      outcome: 'success',
      summary: `Completed ${turnId}`,
      escalated: false,
      duration_ms: 5,
      critical_path: [],
      message: 'Turn completed',
    },
  ];
  return [...bodies, ...(open ? [] : end)].map((body, index) => ({
    ...body,
    turn_id: turnId,
    seq: index + 1,
    timestamp: new Date(startedAt + index).toISOString(),
    elapsed_ms: index,
  }));
}
