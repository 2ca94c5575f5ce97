import { describe, expect, it } from 'vitest';
import { admit, cancelWait, record, release } from '../../../src/engine/admission/gate.ts';
import { setAlarm, wakeWaiters } from '../../../src/runtime/drivers/gate-alarm.ts';
import { createGatedTool, type GatedTool } from '../../../src/runtime/drivers/tool-runtime.ts';
import { profiles } from '../../../src/index.ts';
import { manualSystem, type ManualSystem } from '../../../src/testing/manual-system.ts';
import { circuitBreakerDefaults } from '../../../src/engine/settings/defaults.ts';

/** A tool that is down; its circuit opened at the current time. */
class DownTool {
  readonly system: ManualSystem = manualSystem({ now: 5_000 });
  readonly woken: { readonly name: string; readonly at: number }[] = [];
  readonly tool: GatedTool = createGatedTool('search', {
    ...profiles.adaptive.tool,
    breaker: { ...circuitBreakerDefaults, failureThreshold: 1, openMs: 1_000 },
    concurrency: false,
  });

  constructor() {
    const { gate } = this.tool;
    const answer = admit(gate, { retry: false }, this.system.now());
    if (answer.kind !== 'permit') throw new Error('the circuit is closed');
    wakeWaiters(this.tool, record(gate, answer.permit, { outcome: 'transient', durationMs: 1 }, this.system.now()), this.system, 5_000);
    release(gate, answer.permit, this.system.now());
  }

  wait(name: string, waitMs = 60_000): number {
    const now = this.system.now();
    const answer = admit(this.tool.gate, { retry: false, waitUntil: now + waitMs }, now);
    if (answer.kind !== 'wait') throw new Error(`it does not wait: ${JSON.stringify(answer)}`);
    this.tool.waiters.set(answer.ticket, () => this.woken.push({ name, at: this.system.now() }));
    setAlarm(this.tool, this.system, now);
    return answer.ticket;
  }

  giveUp(ticket: number): void {
    this.tool.waiters.delete(ticket);
    wakeWaiters(this.tool, cancelWait(this.tool.gate, ticket), this.system, this.system.now());
  }
}

describe('the alarm of a gate', () => {
  it('is one timer for all waiting calls, and fires when the first of them may continue', async () => {
    const down = new DownTool();
    expect(down.system.pendingTimers).toBe(0);
    for (const name of ['one', 'two', 'three']) down.wait(name);
    expect(down.system.pendingTimers).toBe(1);
    await down.system.advance(999);
    expect(down.woken).toEqual([]);
    await down.system.advance(1);
    expect(down.woken).toEqual([{ name: 'one', at: 6_000 }]);
  });

  it('is set again after it has fired: no call waits beyond the end of its wait', async () => {
    const down = new DownTool();
    down.wait('one', 20_000);
    down.wait('two', 30_000);
    await down.system.advance(1_000);
    expect(down.woken).toHaveLength(1);
    expect(down.system.pendingTimers).toBe(1);
    await down.system.advance(28_999);
    expect(down.woken).toHaveLength(1);
    await down.system.advance(1);
    expect(down.woken).toEqual([
      { name: 'one', at: 6_000 },
      { name: 'two', at: 35_000 },
    ]);
    expect(down.system.pendingTimers).toBe(0);
  });

  it('is set earlier for a call that may continue earlier', async () => {
    const down = new DownTool();
    const one = down.wait('one');
    await down.system.advance(1_000);
    expect(down.woken).toHaveLength(1);
    expect(one).toBe(1);
    // The first call is the probe and has not ended: until then only the ends of waits count.
    down.wait('two', 40_000);
    down.wait('three', 10_000);
    expect(down.system.pendingTimers).toBe(1);
    await down.system.advance(10_000);
    expect(down.woken.at(-1)).toEqual({ name: 'three', at: 16_000 });
    expect(down.woken).toHaveLength(2);
  });

  it('is cleared with the last waiting call', () => {
    const down = new DownTool();
    const tickets = [down.wait('one'), down.wait('two')];
    for (const ticket of tickets) down.giveUp(ticket);
    expect(down.system.pendingTimers).toBe(0);
    expect(down.tool.waiters.size).toBe(0);
  });

  it('wakes the next call as the probe if the previous one has left', async () => {
    const down = new DownTool();
    const one = down.wait('one');
    down.wait('two');
    await down.system.advance(1_000);
    down.giveUp(one);
    await down.system.settle();
    expect(down.woken.at(-1)).toEqual({ name: 'two', at: 6_000 });
  });
});
