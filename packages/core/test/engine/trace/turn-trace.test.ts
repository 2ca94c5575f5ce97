import { expect, it } from 'vitest';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { errorWith } from '../classify/errors.ts';
import { within } from '../../support/drive.ts';

it('is numbered without gaps, stamped, and plain JSON', async () => {
  const system = manualSystem();
  const service = new ToolExecutionService({
    system,
    seed: 'trace',
    tools: [
      defineTool({
        name: 'down',
        fallback: { value: { big: 10n, run: () => 1 } as unknown },
        run: () => {
          throw errorWith({ status: 503 }, 'down');
        },
      }),
      defineTool({ name: 'fine', timeoutMs: Number.POSITIVE_INFINITY, run: () => 1 }),
    ],
  });
  const { trace, turnId } = await within(system, 10_000, service.executeTurn({ calls: [{ toolName: 'down' }, { toolName: 'fine' }] }), 100);
  expect(trace.map(({ seq }) => seq)).toEqual(trace.map((_, index) => index + 1));
  expect(trace.every(({ turn_id, timestamp }) => turn_id === turnId && /^2025-11-05T10:30:\d\d\.\d{3}Z$/.test(timestamp))).toBe(true);
  expect(trace.every(({ elapsed_ms }, index) => elapsed_ms >= (trace[index - 1]?.elapsed_ms ?? 0))).toBe(true);
  expect(trace.at(0)?.event_type).toBe('TurnStarted');
  expect(trace.at(-1)?.event_type).toBe('TurnCompleted');
  expect(JSON.parse(JSON.stringify(trace))).toHaveLength(trace.length);
});

// docs/specification.md#s0-8-2, #s1-4-4
it('has the specified form', async () => {
  const system = manualSystem();
  const service = new ToolExecutionService({
    system,
    tools: [defineTool({ name: 'flight_search', timeoutMs: 30_000, retry: { maxAttempts: 1 }, run: () => new Promise(() => undefined) })],
  });
  const { trace } = await within(system, 60_000, service.executeTurn({ calls: [{ toolName: 'flight_search' }] }), 1_000);
  expect(trace.find(({ event_type }) => event_type === 'ToolTimeout')).toMatchObject({
    event_type: 'ToolTimeout',
    tool_id: 'flight_search',
    timeout_ms: 30_000,
  });
  expect(trace.find(({ event_type }) => event_type === 'ToolError')).toMatchObject({
    event_type: 'ToolError',
    tool_id: 'flight_search',
    error: 'Tool timeout after 30s',
    classification: 'transient',
    circuit_breaker_state: 'closed',
    retry_count: 0,
    decision: 'escalate',
  });
});
