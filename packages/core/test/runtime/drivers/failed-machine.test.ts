import { expect, it } from 'vitest';
import { createAgenda } from '../../../src/runtime/drivers/virtual/agenda.ts';
import { createVirtualTools } from '../../../src/runtime/drivers/virtual/virtual-tools.ts';
import { createVirtualWorld } from '../../../src/runtime/drivers/virtual/virtual-world.ts';
import { performScript } from '../../../src/runtime/drivers/virtual/script.ts';
import { VirtualHost } from '../../../src/runtime/drivers/virtual/virtual-host.ts';
import { checkPlan, ErrorHandler, profiles } from '../../../src/index.ts';
import type { TraceEventBody } from '../../../src/engine/trace/events.ts';
import type { Trace } from '../../../src/engine/trace/turn-trace.ts';

/** Its trace throws when a second call waits. */
class FaultyHost extends VirtualHost {
  readonly crashes: string[] = [];
  #waiting = 0;

  override append(trace: Trace, event: TraceEventBody): void {
    if (event.event_type === 'AdmissionWaiting') this.#waiting += 1;
    if (event.event_type === 'AdmissionWaiting' && this.#waiting === 1) throw new Error('the trace is full');
    super.append(trace, event);
  }

  override crashed(error: unknown): void {
    this.crashes.push(String(error));
  }
}

it('a call whose machine threw while it waited at a gate does not block the calls behind it', () => {
  const { tool, turn } = profiles.spec;
  const agenda = createAgenda();
  const tools = createVirtualTools({ search: { ...tool, concurrency: { limit: 1, queue: 10 } } });
  const perform = performScript(agenda, () => ({ afterMs: 100, outcome: { ok: true, output: 1 } }));
  const host = new FaultyHost({ agenda, handler: new ErrorHandler(), tools, perform });
  const world = createVirtualWorld({ host, tools, base: tool });
  const checked = checkPlan([{ callId: 'a', toolName: 'search' }]);
  if (!checked.ok) throw new Error('the plan is sound');
  const { graph } = checked;
  const ended = new Map<string, string | undefined>();
  ['one', 'two', 'three', 'four'].forEach((turnId, nth) => {
    agenda.at(nth * 10, () =>
      world.startTurn({
        turnId,
        seed: 'seed',
        graph,
        settings: { ...turn, timeoutMs: 5_000 },
        onSettled: ({ results }) => ended.set(turnId, results[0]?.status),
      }),
    );
  });
  agenda.run();
  expect([...ended]).toEqual(
    expect.arrayContaining([
      ['one', 'success'],
      ['three', 'success'],
      ['four', 'success'],
    ]),
  );
  expect(host.crashes).toEqual(['Error: the trace is full']);
  const gate = tools.get('search')?.gate;
  expect(gate?.bulkhead).toMatchObject({ held: 0, reserved: 0, queued: 0 });
});
