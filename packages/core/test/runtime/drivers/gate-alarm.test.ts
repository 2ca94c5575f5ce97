import { describe, expect, it } from 'vitest';
import { admit, cancelWait, record, release } from '../../../src/engine/admission/gate.ts';
import type { Observation } from '../../../src/engine/admission/types.ts';
import { setAlarm, wakeWaiters } from '../../../src/runtime/drivers/gate-alarm.ts';
import { createGatedTool, type GatedTool } from '../../../src/runtime/drivers/tool-runtime.ts';
import { profiles } from '../../../src/index.ts';
import { manualSystem, type ManualSystem } from '../../../src/testing/manual-system.ts';
import { circuitBreakerDefaults } from '../../../src/engine/settings/defaults.ts';

/** A tool that is down by time-outs since 5,000; at `probeAt` a waiting call probes it. */
class DownTool {
  readonly system: ManualSystem = manualSystem({ now: 5_000 });
  readonly woken: { readonly name: string; readonly at: number }[] = [];
  readonly tool: GatedTool = createGatedTool('search', {
    ...profiles.adaptive.tool,
    breaker: { ...circuitBreakerDefaults, failureThreshold: 1, openMs: 1_000 },
    concurrency: false,
  });

  constructor() {
    this.attempt({ outcome: 'success', durationMs: 1 }, 1_000);
    this.attempt({ outcome: 'transient', durationMs: 1, timedOut: true }, 5_000);
  }

  private attempt(observation: Observation, at: number): void {
    const { gate } = this.tool;
    const answer = admit(gate, { retry: false }, at);
    if (answer.kind !== 'permit') throw new Error('the circuit is open');
    wakeWaiters(this.tool, record(gate, answer.permit, observation, at), this.system, at);
    release(gate, answer.permit, at);
  }

  get probeAt(): number {
    return this.tool.gate.breaker.openUntil;
  }

  async advanceTo(time: number): Promise<void> {
    await this.system.advance(time - this.system.now());
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
  it('is one timer, however many calls wait, and fires when the first of them may continue', async () => {
    const down = new DownTool();
    const { probeAt } = down;
    expect(down.system.pendingTimers).toBe(0);
    for (const name of ['one', 'two', 'three']) down.wait(name);
    expect(down.system.pendingTimers).toBe(1);
    await down.advanceTo(probeAt - 1);
    expect(down.woken).toEqual([]);
    await down.advanceTo(probeAt);
    expect(down.woken).toEqual([{ name: 'one', at: probeAt }]);
  });

  it('is set again after it has fired: no call waits beyond the end of its wait', async () => {
    const down = new DownTool();
    const { probeAt } = down;
    down.wait('two');
    down.wait('one', 50_000);
    await down.advanceTo(probeAt);
    expect(down.woken).toEqual([{ name: 'two', at: probeAt }]);
    expect(down.system.pendingTimers).toBe(1);
    await down.advanceTo(54_999);
    expect(down.woken).toHaveLength(1);
    await down.advanceTo(55_000);
    expect(down.woken.slice(1)).toEqual([{ name: 'one', at: 55_000 }]);
    await down.advanceTo(90_000);
    expect(down.system.pendingTimers).toBe(0);
  });

  it('is set earlier for a call that may continue earlier', async () => {
    const down = new DownTool();
    const { probeAt } = down;
    down.wait('one');
    await down.advanceTo(probeAt);
    expect(down.woken).toHaveLength(1);
    // The first call is the probe and has not ended: until then only the ends of waits count.
    down.wait('two', 40_000);
    down.wait('three', 10_000);
    expect(down.system.pendingTimers).toBe(1);
    await down.advanceTo(probeAt + 10_000);
    expect(down.woken.slice(1)).toEqual([{ name: 'three', at: probeAt + 10_000 }]);
  });

  it('fires soon for a call that is due already', async () => {
    const down = new DownTool();
    down.tool.gate.adaptive!.failed.byTimeouts = false;
    const now = down.system.now();
    const answer = admit(down.tool.gate, { retry: false, bornAt: now - 50_000, waitUntil: now + 5_000 }, now);
    if (answer.kind !== 'wait') throw new Error('it waits');
    down.tool.waiters.set(answer.ticket, () => down.woken.push({ name: 'old', at: down.system.now() }));
    setAlarm(down.tool, down.system, now);
    await down.advanceTo(now + 1);
    expect(down.woken).toEqual([{ name: 'old', at: now + 1 }]);
  });

  it('is cleared with the last call that waits', () => {
    const down = new DownTool();
    const tickets = [down.wait('one'), down.wait('two')];
    for (const ticket of tickets) down.giveUp(ticket);
    expect(down.system.pendingTimers).toBe(0);
    expect(down.tool.waiters.size).toBe(0);
  });

  it('wakes the next call as the probe if the previous one has left', async () => {
    const down = new DownTool();
    const { probeAt } = down;
    down.wait('one');
    const two = down.wait('two');
    await down.advanceTo(probeAt);
    down.giveUp(two);
    await down.system.settle();
    expect(down.woken.at(-1)).toEqual({ name: 'one', at: probeAt });
  });
});
