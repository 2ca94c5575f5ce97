/** Calls of several clients with circuits of their own: recorded by a real service, and evaluated with the recorded circuits. */
import { beforeAll, describe, expect, it } from 'vitest';
import { defineTool, ToolExecutionService, type TraceEvent } from '@holdfast/core';
import { readRecording, replayTurn } from '@holdfast/core/replay';
import { manualSystem } from '@holdfast/core/testing';
import { whatIf } from '../src/index.ts';

type Traces = readonly (readonly TraceEvent[])[];

const clientOf = (id: string): string => id.split('/')[0] ?? '';

/** Each second alice and bob call once; all of alice's attempts fail. `inTurns`: every call is a turn. */
async function record(inTurns: boolean): Promise<Traces> {
  const system = manualSystem();
  const mail = defineTool({
    name: 'mail',
    breaker: { failureThreshold: 3, openMs: 600_000 },
    retry: { maxAttempts: 1 },
    run: (_args: unknown, { callId, turnId }) => {
      if (clientOf(inTurns ? turnId : callId) === 'alice') throw Object.assign(new Error('HTTP 503'), { status: 503 });
      return 'sent';
    },
  });
  const partitionsOf = (id: string) => (): string => clientOf(id);
  const service = new ToolExecutionService({ tools: [mail], system, seed: 'seed', partitionsOf });
  const traces = new Map<string, TraceEvent[]>();
  service.subscribe((event) => void traces.set(event.turn_id, [...(traces.get(event.turn_id) ?? []), event]));
  for (let index = 0; index < 10; index++) {
    for (const client of ['alice', 'bob']) {
      const id = `${client}/${index}`;
      if (inTurns) await system.until(service.executeTurn({ turnId: id, calls: [{ callId: 'one', toolName: 'mail' }] }));
      else await system.until(service.executeTool({ toolName: 'mail', callId: id }));
      await system.advance(500);
    }
  }
  return [...traces.values()].map((events) => JSON.parse(JSON.stringify(events)) as readonly TraceEvent[]);
}

describe.each([
  ['single calls', false],
  ['turns', true],
])('%s of two clients', (_name, inTurns) => {
  let traces: Traces;
  beforeAll(async () => {
    traces = await record(inTurns);
  });

  it('are recorded with their partitions, and replayed exactly', () => {
    expect(traces.map((events) => readRecording(events).partitions['mail'])).toEqual(
      Array.from({ length: 10 }, () => ['alice', 'bob']).flat(),
    );
    for (const events of traces) expect(replayTurn(events).differences).toEqual([]);
  });

  it('under other settings that change nothing, go as recorded: the successes of one do not close the circuit of the other', () => {
    const { total, assumptions } = whatIf(traces, { tools: { mail: { breaker: { openMs: 500_000 } } } });
    expect(total).toMatchObject({ calls: 20, observedShare: 1, recorded: { succeeded: 10, requests: 13 } });
    expect(total.changed).toMatchObject({ succeeded: { low: 10, high: 10 }, requests: { low: 13, high: 13 } });
    expect(assumptions.join(' ')).not.toMatch(/differ|do not lead/);
  });

  it('with a higher threshold, only the calls of the client whose circuit was open are unknown', () => {
    const { total } = whatIf(traces, { tools: { mail: { breaker: { failureThreshold: 20 } } } });
    expect(total.changed).toMatchObject({ succeeded: { low: 10, high: 17 }, requests: { low: 20, high: 20 } });
  });

  it('begin with the circuit that was open for one of them', () => {
    const later = traces.slice(8);
    const { total } = whatIf(later, { tools: { mail: { breaker: { openMs: 500_000 } } } });
    expect(total).toMatchObject({ calls: 12, observedShare: 1 });
    expect(total.changed).toMatchObject({ succeeded: { low: 6, high: 6 }, requests: { low: 6, high: 6 } });
  });
});
