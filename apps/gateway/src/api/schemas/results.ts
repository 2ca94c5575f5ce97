/** Owns the schemas of results and reports. */
import { z } from '@hono/zod-openapi';

const error = {
  code: z.string().openapi({ description: 'Stable, upper case; see the reference of error codes.' }),
  message: z.string().openapi({ description: 'Technical, redacted.' }),
};
const errorMore = {
  user_message: z.string().openapi({ description: 'Friendly, safe to show.' }),
  retryable: z.boolean().openapi({ description: 'Whether the same call may succeed later.' }),
  classification: z.enum(['transient', 'permanent', 'neutral']),
  category: z.string(),
  rule: z.string().openapi({ description: 'The rule that classified the error.' }),
};
const errorRest = {
  retry_after_ms: z.number().optional(),
  ambiguous: z.boolean().optional().openapi({ description: 'Whether the side effect may have happened: check before calling again.' }),
  stopped_by: z.string().optional().openapi({ description: 'What ended the attempts.' }),
  advice: z.string().optional().openapi({ description: 'What to do next, in one line for the model.' }),
  caused_by: z
    .array(z.string())
    .optional()
    .openapi({ description: 'For a call that was not run: the failed calls, from the direct cause to the first.' }),
};

const callError = z.object({ ...error, ...errorMore, ...errorRest }).openapi('CallError');
const tracedError = z.object({ ...error, ...z.object(errorMore).partial().shape, ...errorRest }).openapi('TracedError');

const result = {
  call_id: z.string(),
  tool_id: z.string(),
  status: z.enum(['success', 'error', 'timeout']),
  output: z.unknown().optional().openapi({ description: 'The output of the tool. With an error, only a static fallback.' }),
};
const resultRest = {
  execution_time_ms: z.int(),
  attempts: z.int(),
  served_by: z.string().openapi({ description: 'The tool that answered, or the last one that was tried.' }),
  fallback_used: z.boolean().optional(),
  partial: z.boolean().optional().openapi({ description: 'Whether the output is partial: the tool was stopped at its time limit.' }),
  altered: z.enum(['truncated', 'converted']).optional().openapi({ description: "How the output differs from the tool's." }),
  skipped: z.boolean().optional(),
};

export const callResult: z.ZodType = z.object({ ...result, error: callError.optional(), ...resultRest }).openapi('CallResult');
const tracedResult = z.object({ ...result, error: tracedError.optional(), ...resultRest }).openapi('TracedResult');

export const turnOutcome: z.ZodType<'success' | 'partial' | 'failed' | 'deadline' | 'cancelled'> = z
  .enum(['success', 'partial', 'failed', 'deadline', 'cancelled'])
  .openapi('TurnOutcome');
export const turnState: z.ZodType<'running' | 'completed' | 'interrupted'> = z
  .enum(['running', 'completed', 'interrupted'])
  .openapi('TurnState');

const report = {
  turn_id: z.string(),
  outcome: turnOutcome,
  summary: z.string(),
  escalated: z.boolean().openapi({ description: 'Whether a critical call has failed.' }),
  execution_time_ms: z.int(),
  critical_path: z.array(z.string()).openapi({ description: 'Ids of the chain of dependent calls that took longest.' }),
};

const turnReport = z
  .object({ ...report, results: z.array(callResult).openapi({ description: 'One per call, in the order of the plan.' }) })
  .openapi('TurnReport');
const tracedReport = z.object({ ...report, results: z.array(tracedResult), from_trace: z.literal(true) }).openapi('TracedReport', {
  description: 'Built from the trace because the report is no longer kept. Contains only the outputs that the trace has captured.',
});

export const anyReport: z.ZodType = z.union([tracedReport, turnReport]);
