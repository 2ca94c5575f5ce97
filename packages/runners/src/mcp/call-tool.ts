/**
 * Owns one tool call: maps an attempt to a request, and the request's progress to the attempt's.
 */
import type { AttemptContext } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/client';
import { isRecord } from '@holdfast/core/internal/plain';
import { outgoingHeaders } from '../outgoing.ts';
import { runnerError } from '../runner-error.ts';
import type { McpSettings } from './options.ts';
import { request } from './request.ts';
import { outputOf } from './result.ts';
import type { Supervisor } from './supervisor.ts';

export async function callTool(
  settings: McpSettings,
  supervisor: Supervisor,
  name: string,
  args: unknown,
  context: AttemptContext,
  signal: AbortSignal,
): Promise<unknown> {
  const onProgress = ({ progress, total, message }: JsonObject): void => {
    if (typeof progress !== 'number') return;
    context.reportProgress({
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    });
  };
  const params = callParams(name, args, context, metaOf(settings, context));
  return outputOf(await request(settings, supervisor, 'tools/call', params, { signal, onProgress }));
}

function callParams(name: string, args: unknown, { idempotencyKey }: AttemptContext, meta: JsonObject): JsonObject {
  if (args !== undefined && args !== null && !isRecord(args))
    throw runnerError('INVALID_ARGUMENT', 'The arguments of an MCP tool must be an object');
  return { name, arguments: args ?? {}, _meta: { ...meta, 'holdfast/idempotency-key': idempotencyKey } };
}

function metaOf({ meta }: McpSettings, context: AttemptContext): JsonObject {
  try {
    return { ...outgoingHeaders(), ...meta?.(context) };
  } catch {
    return { ...outgoingHeaders() };
  }
}
