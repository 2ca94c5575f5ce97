/** Owns the API representation of a tool: its source, health, metrics and settings. */
import type { AnyTool, ToolHealth, ToolMetrics, ToolPolicy, ToolSettings } from '@holdfast/core';
import { fromPolicy } from '@holdfast/manifest';
import type * as contract from '../../contract.ts';
import { type Access, seesAll } from '../../access/access.ts';
import { type ClientHealth, type WholeHealth, wholeHealth } from '../../access/client-circuits.ts';
import type { ApiParts } from '../parts.ts';

type Parts = Pick<ApiParts, 'service' | 'catalog' | 'circuits'>;

/** `access`: of the caller. */
export function toolItem(tool: AnyTool, { service, catalog, circuits }: Parts, access: Access): contract.ToolItem | undefined {
  const { name } = tool;
  const settings = service.getToolSettings(name);
  const health = seesAll(access)
    ? wholeHealth(service, name)
    : service.getToolHealth(name, circuits?.of({ ...access, session: undefined })?.(name));
  if (settings === undefined || health === undefined) return undefined;
  const entry = catalog?.get(name);
  const described = entry?.definition['description'];
  const description = typeof described === 'string' ? described : tool.description;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    source: entry?.source ?? { kind: 'tool' },
    degraded: entry?.degraded ?? false,
    health: toolHealth(health, settings),
    metrics: toolMetrics(service.getToolMetrics(name)),
    settings: plainNumbers(fromPolicy(settings as ToolPolicy)) as Readonly<Record<string, unknown>>,
  };
}

export function toolDetail(tool: AnyTool, parts: Parts, access: Access): contract.ToolDetail | undefined {
  const item = toolItem(tool, parts, access);
  if (item === undefined) return undefined;
  const definition = parts.catalog?.get(tool.name)?.definition;
  const input = schemaOf(definition?.['inputSchema'] ?? tool.input);
  const output = schemaOf(definition?.['outputSchema'] ?? tool.output);
  return { ...item, ...(input === undefined ? {} : { input_schema: input }), ...(output === undefined ? {} : { output_schema: output }) };
}

export function toolHealth(health: ToolHealth & Partial<WholeHealth>, { breaker }: Pick<ToolSettings, 'breaker'>): contract.ToolHealth {
  const { circuit, mode, failureCount, retryAfterMs, heldMs, inFlight, orphaned, queued, retryBudgetLeft, clients = [] } = health;
  return {
    circuit: breaker === false ? null : circuit,
    mode,
    failure_count: failureCount,
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(heldMs === undefined ? {} : { held_ms: heldMs }),
    in_flight: inFlight,
    orphaned,
    queued,
    ...(retryBudgetLeft === undefined ? {} : { retry_budget_left: retryBudgetLeft }),
    ...(breaker === false || clients.length === 0 ? {} : { clients: clients.map(clientCircuit) }),
  };
}

function clientCircuit({ client, health: { circuit, mode, failureCount, retryAfterMs } }: ClientHealth): contract.ClientCircuit {
  return { client, circuit, mode, failure_count: failureCount, ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }) };
}

function toolMetrics({
  totalExecutions,
  successCount,
  errorCount,
  timeoutCount,
  cancelledCount,
  refusedCount,
  avgExecutionTime,
  failureRate,
  attempts,
}: ToolMetrics): contract.ToolMetrics {
  return {
    total_executions: totalExecutions,
    success_count: successCount,
    execution_error_count: errorCount,
    execution_timeout_count: timeoutCount,
    cancelled_count: cancelledCount,
    avg_execution_time_ms: avgExecutionTime,
    failure_rate: failureRate,
    error_count: attempts.errorCount,
    transient_error_count: attempts.transientErrorCount,
    permanent_error_count: attempts.permanentErrorCount,
    retry_count: attempts.retryCount,
    retry_success_rate: attempts.retrySuccessRate,
    circuit_breaker_opens: attempts.circuitBreakerOpens,
    timeout_count: attempts.timeoutCount,
    refused_count: refusedCount,
  };
}

/** Returns a JSON Schema; `undefined` for a schema that is code. */
function schemaOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof schema !== 'object' || schema === null || '~standard' in schema) return undefined;
  return schema as Readonly<Record<string, unknown>>;
}

/** JSON has no infinity: `null` means no limit. */
function plainNumbers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainNumbers(inner)]));
}
