/** Owns the schemas of the routes of tools. */
import { z } from '@hono/zod-openapi';
import type { CircuitCommand } from '../../contract.ts';
import { wholeNumber } from './parameters.ts';

const health = z
  .object({
    circuit: z.enum(['closed', 'open', 'half_open']).nullable().openapi({ description: '`null`: the tool has no circuit breaker.' }),
    mode: z.enum(['auto', 'forced_open', 'disabled', 'shadow']),
    failure_count: z.int(),
    retry_after_ms: z.number().optional(),
    held_ms: z.number().optional().openapi({
      description: "How long a server's Retry-After still holds calls, whatever the state of the circuit. Absent when it holds none.",
    }),
    in_flight: z.int(),
    orphaned: z.int().openapi({ description: 'Attempts that exceeded their time limit, still run and hold a slot.' }),
    queued: z.int(),
    retry_budget_left: z.number().optional(),
    clients: z
      .array(
        z
          .object({
            client: z.string(),
            circuit: z.enum(['closed', 'open', 'half_open']),
            mode: z.enum(['auto', 'forced_open', 'disabled', 'shadow']),
            failure_count: z.int(),
            retry_after_ms: z.number().optional(),
          })
          .openapi('ClientCircuit'),
      )
      .optional()
      .openapi({
        description:
          'Clients of an isolated server whose own circuit is not closed, or is controlled manually; for callers that see what others do.',
      }),
  })
  .openapi('ToolHealth');

const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

const metrics = z
  .object({
    total_executions: count,
    success_count: count,
    execution_error_count: count,
    execution_timeout_count: count,
    cancelled_count: count,
    avg_execution_time_ms: z.number(),
    failure_rate: share,
    error_count: count.openapi({
      description: 'Failed attempts, including those on behalf of another tool. The `execution_…` fields count calls.',
    }),
    transient_error_count: count,
    permanent_error_count: count,
    retry_count: count,
    retry_success_rate: share,
    circuit_breaker_opens: count,
    timeout_count: count,
    refused_count: count,
  })
  .openapi('ToolMetrics');

export const source: z.ZodType = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('tool') }),
    z.object({ kind: z.literal('mcp'), server: z.string(), tool: z.string() }),
    z.object({ kind: z.literal('openapi'), api: z.string(), operation: z.string() }),
  ])
  .openapi('ToolSource');

const item = {
  name: z.string(),
  description: z.string().optional(),
  source,
  degraded: z.boolean().openapi({ description: 'Whether its upstream does not answer, and this is the last known definition.' }),
  health,
  metrics: metrics.optional().openapi({ description: 'Absent for a client that does not see what others do.' }),
  settings: z.record(z.string(), z.unknown()).openapi({ description: 'As in a manifest, all layers merged. `null` means no limit.' }),
};

export const toolPage: z.ZodType = z
  .object({ tools: z.array(z.object(item).openapi('ToolItem')), next_cursor: z.string().optional() })
  .openapi('ToolPage');

const jsonSchema = z.record(z.string(), z.unknown()).openapi({ description: 'JSON Schema.' });

export const toolDetail: z.ZodType = z
  .object({ ...item, input_schema: jsonSchema.optional(), output_schema: jsonSchema.optional() })
  .openapi('ToolDetail');

export const toolCircuit: z.ZodType = z.object({ name: z.string(), client: z.string().optional(), health }).openapi('ToolCircuit');

export interface ToolQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export const toolQuery: z.ZodType<ToolQuery> = z.strictObject({
  limit: wholeNumber(1, 1_000, 200).openapi({ description: 'Maximum number of tools.' }),
  cursor: z.string().max(512).optional().openapi({ description: 'The `next_cursor` of the previous page.' }),
});

export const toolParams: z.ZodType<{ readonly name: string }> = z.object({ name: z.string().min(1).max(512) });

export interface CircuitRequest {
  readonly command: CircuitCommand;
  readonly client?: string | undefined;
}

export const circuitRequest: z.ZodType<CircuitRequest> = z
  .strictObject({
    command: z.enum(['open', 'close', 'disable', 'shadow', 'reset', 'auto']).openapi({
      description: [
        '`open` refuses every call. `disable` neither counts outcomes nor refuses calls. `shadow` counts outcomes but refuses no call. `auto` ends manual control.',
        '`reset` closes the circuit and clears its failures. `close` does `reset` and `auto`.',
      ].join(' '),
    }),
    client: z.string().min(1).max(512).optional().openapi({
      description: 'Only the circuit of this client, as named in `health.clients`. Absent: the circuits of all clients.',
    }),
  })
  .openapi('CircuitRequest');
