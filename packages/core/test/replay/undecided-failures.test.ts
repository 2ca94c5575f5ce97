/** A failure without a decision when the turn ended has no event. Its other consequences have, and are replayed at their time. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/index.ts';
import { replayTurn } from '../../src/replay/index.ts';
import { ToolExecutionService } from '../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../src/testing/index.ts';
import { defineTool } from '../../src/engine/tool/tool.ts';

describe('an advisor that has not answered when the turn ends', () => {
  /** The advisor takes longer than the turn. */
  const advised = async (tool: object, status: number, cancelAtMs?: number): Promise<readonly TraceEvent[]> => {
    const system = manualSystem();
    const advisor = (): Promise<undefined> => new Promise((resolve) => void system.setTimer(45, () => resolve(undefined)));
    let starts = 0;
    const search = defineTool({
      name: 'search',
      ...tool,
      run: () => {
        starts += 1;
        const error = Object.assign(new Error('no'), { status });
        return new Promise((_resolve, reject) => void system.setTimer(starts * 20, () => reject(error)));
      },
    });
    const cancel = new AbortController();
    if (cancelAtMs !== undefined) system.setTimer(cancelAtMs, () => cancel.abort());
    const service = new ToolExecutionService({ system, seed: 'slow', advisor, tools: [search] });
    const { trace } = await system.until(
      service.executeTurn({ turnId: 'turn', timeoutMs: 60, calls: [{ callId: 'a', toolName: 'search' }] }, { signal: cancel.signal }),
    );
    return JSON.parse(JSON.stringify(trace)) as TraceEvent[];
  };

  it('replays an attempt that ended because of a failure after that failure', async () => {
    const system = manualSystem();
    const advisor = (): Promise<undefined> => new Promise((resolve) => void system.setTimer(45, () => resolve(undefined)));
    let starts = 0;
    const search = defineTool({
      name: 'search',
      effect: 'read',
      hedge: { afterMs: 15, maxHedges: 1 },
      run: (_args: unknown, { signal }) => {
        starts += 1;
        const [first, error] = [starts === 1, Object.assign(new Error('no'), { status: 400 })];
        return new Promise((_resolve, reject) => {
          if (first) system.setTimer(20, () => reject(error));
          else signal.addEventListener('abort', () => reject(error));
        });
      },
    });
    const service = new ToolExecutionService({ system, seed: 'slow', advisor, tools: [search] });
    const { trace } = await system.until(service.executeTurn({ calls: [{ callId: 'a', toolName: 'search' }] }));
    const record = JSON.parse(JSON.stringify(trace)) as TraceEvent[];
    const at = (type: string): number | undefined => record.find(({ event_type }) => event_type === type)?.elapsed_ms;
    expect([at('LateResult'), at('ToolError')]).toEqual([20, 65]);
    expect(replayTurn(record).differences).toEqual([]);
  });

  it('replays a failure that ended a concurrent attempt', async () => {
    const record = await advised({ effect: 'read', hedge: { afterMs: 15, maxHedges: 1 } }, 400);
    expect(record.map(({ event_type }) => event_type)).toContain('LateResult');
    expect(record.map(({ event_type }) => event_type)).not.toContain('ToolError');
    expect(replayTurn(record).differences).toEqual([]);
  });

  it.each([undefined, 40])('replays a failure that opened the circuit (cancelled: %s)', async (cancelAtMs) => {
    const record = await advised({ breaker: { failureThreshold: 1 } }, 503, cancelAtMs);
    const opened = record.find(({ event_type }) => event_type === 'CircuitBreakerOpened');
    expect(opened?.elapsed_ms).toBe(20);
    expect(record.map(({ event_type }) => event_type)).not.toContain('ToolError');
    const { differences, trace } = replayTurn(record);
    expect(differences).toEqual([]);
    expect(trace.find(({ event_type }) => event_type === 'CircuitBreakerOpened')?.elapsed_ms).toBe(20);
  });
});
