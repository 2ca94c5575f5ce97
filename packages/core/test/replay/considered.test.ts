/** A failure that nobody had decided about when the turn ended is told nowhere; what else it led to is, and is replayed at its time. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/index.ts';
import { replayTurn } from '../../src/replay/index.ts';
import { ToolExecutionService } from '../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../src/testing/index.ts';
import { defineTool } from '../../src/engine/tool/tool.ts';

describe('an advisor that is still asked when the turn ends', () => {
  /** It thinks for longer than the turn takes. */
  const advised = async (tool: object, status: number, cancelAtMs?: number): Promise<readonly TraceEvent[]> => {
    const system = manualSystem();
    const advisor = (): Promise<undefined> => new Promise((resolve) => void system.setTimer(45, () => resolve(undefined)));
    let begun = 0;
    const search = defineTool({
      name: 'search',
      ...tool,
      run: () => {
        begun += 1;
        const error = Object.assign(new Error('no'), { status });
        return new Promise((_resolve, reject) => void system.setTimer(begun * 20, () => reject(error)));
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

  it('decided on in time, what it ended in the same instant ends after it', async () => {
    const system = manualSystem();
    const advisor = (): Promise<undefined> => new Promise((resolve) => void system.setTimer(45, () => resolve(undefined)));
    let begun = 0;
    const search = defineTool({
      name: 'search',
      effect: 'read',
      hedge: { afterMs: 15, maxHedges: 1 },
      run: (_args: unknown, { signal }) => {
        begun += 1;
        const [first, error] = [begun === 1, Object.assign(new Error('no'), { status: 400 })];
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

  it('about a failure that ended the attempt beside it', async () => {
    const record = await advised({ effect: 'read', hedge: { afterMs: 15, maxHedges: 1 } }, 400);
    expect(record.map(({ event_type }) => event_type)).toContain('LateResult');
    expect(record.map(({ event_type }) => event_type)).not.toContain('ToolError');
    expect(replayTurn(record).differences).toEqual([]);
  });

  it.each([undefined, 40])('about a failure that opened the circuit (cancelled: %s)', async (cancelAtMs) => {
    const record = await advised({ breaker: { failureThreshold: 1 } }, 503, cancelAtMs);
    const opened = record.find(({ event_type }) => event_type === 'CircuitBreakerOpened');
    expect(opened?.elapsed_ms).toBe(20);
    expect(record.map(({ event_type }) => event_type)).not.toContain('ToolError');
    const { differences, trace } = replayTurn(record);
    expect(differences).toEqual([]);
    expect(trace.find(({ event_type }) => event_type === 'CircuitBreakerOpened')?.elapsed_ms).toBe(20);
  });
});
