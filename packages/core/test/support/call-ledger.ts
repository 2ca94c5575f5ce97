import type { Permit } from '../../src/engine/admission/types.ts';
import type { CallEffect, CallTimer } from '../../src/engine/call/protocol.ts';
import type { ToolResult } from '../../src/engine/call/result.ts';

interface PermitAccount {
  readonly toolName: string;
  records: number;
  transientRecords: number;
  ends: number;
  started: boolean;
  returned: boolean;
}

/** Effects that start something. */
const beginnings: ReadonlySet<CallEffect['type']> = new Set(['prepare', 'admit', 'start_attempt', 'consult', 'observe']);

/**
 * Records the effects of one call and checks the invariants in `call/machine.ts`. Throws at the first violation.
 */
export class CallLedger {
  readonly permits = new Map<Permit, PermitAccount>();
  readonly timers = new Map<string, number>();
  readonly tickets = new Map<number, string>();
  readonly started = new Set<number>();
  result: ToolResult | undefined;

  /** The gate granted a permit to the machine. */
  give(permit: Permit, toolName: string): void {
    this.permits.set(permit, { toolName, records: 0, transientRecords: 0, ends: 0, started: false, returned: false });
  }

  take(effect: CallEffect, now: number): void {
    if (this.result && beginnings.has(effect.type)) throw new Error(`${effect.type} after settle`);
    switch (effect.type) {
      case 'settle':
        if (this.result) throw new Error('settled twice');
        this.result = effect.result;
        return;
      case 'start_attempt':
        if (this.started.has(effect.attempt)) throw new Error(`attempt ${effect.attempt} started twice`);
        this.started.add(effect.attempt);
        return;
      case 'record':
        return this.#record(effect);
      case 'release':
      case 'return_permit':
        return this.#end(effect);
      case 'orphan':
        this.#account(effect);
        return;
      case 'set_timer':
        return this.#setTimers(effect, now);
      case 'clear_timer':
        this.timers.delete(`${effect.timer} ${effect.attempt}`);
        if (effect.timer === 'attempt') for (const timer of ['hedge', 'idle', 'abandon']) this.timers.delete(`${timer} ${effect.attempt}`);
        return;
      case 'cancel_wait':
        if (this.tickets.get(effect.ticket) !== effect.toolName)
          throw new Error(`ticket ${effect.ticket} is not outstanding for ${effect.toolName}`);
        this.tickets.delete(effect.ticket);
        return;
      default:
    }
  }

  /** To be called at the end. */
  closeBooks(counting: 'attempt' | 'call'): void {
    if (!this.result) throw new Error('never settled');
    if (this.timers.size > 0) throw new Error(`timers left: ${[...this.timers.keys()].join(', ')}`);
    if (this.tickets.size > 0) throw new Error('still waiting at the gate');
    let transient = 0;
    for (const account of this.permits.values()) {
      if (account.ends !== 1) throw new Error(`permit of ${account.toolName} ended ${account.ends} times`);
      if (counting === 'attempt' && account.records + Number(account.returned) !== 1)
        throw new Error(`permit recorded ${account.records} times, returned ${account.returned}`);
      transient += account.transientRecords;
    }
    const tools = new Set([...this.permits.values()].map(({ toolName }) => toolName));
    if (counting === 'call' && transient > tools.size)
      throw new Error(`one call was counted as ${transient} failures of ${tools.size} tools`);
  }

  #account({ permit, toolName }: { readonly permit: Permit; readonly toolName: string }): PermitAccount {
    const account = this.permits.get(permit);
    if (!account) throw new Error('a permit that was never given');
    if (account.toolName !== toolName) throw new Error(`permit of ${account.toolName} handed to ${toolName}`);
    return account;
  }

  #record(effect: Extract<CallEffect, { type: 'record' }>): void {
    const account = this.#account(effect);
    account.records += 1;
    // Work that continues after the call was answered is covered by its own events.
    if (effect.observation.outcome === 'transient' && !this.result) account.transientRecords += 1;
    if (account.records > 1 || account.returned) throw new Error('recorded twice, or after it went back');
  }

  #end(effect: Extract<CallEffect, { type: 'release' | 'return_permit' }>): void {
    const account = this.#account(effect);
    account.ends += 1;
    account.returned ||= effect.type === 'return_permit';
    if (account.ends > 1) throw new Error('released twice');
  }

  #setTimers({ timer, attempt, delayMs, hedgeAfterMs }: Extract<CallEffect, { type: 'set_timer' }>, now: number): void {
    this.#setTimer(timer, attempt, delayMs, now);
    if (hedgeAfterMs !== undefined) this.#setTimer('hedge', attempt, hedgeAfterMs, now);
  }

  #setTimer(timer: CallTimer, attempt: number, delayMs: number, now: number): void {
    const key = `${timer} ${attempt}`;
    if (this.timers.has(key)) throw new Error(`timer ${key} set twice`);
    if (this.result && (timer === 'backoff' || timer === 'hedge')) throw new Error(`timer ${key} set after settle`);
    if (!(delayMs >= 0)) throw new Error(`timer ${key} set for ${delayMs} ms`);
    if (Number.isFinite(delayMs)) this.timers.set(key, now + delayMs);
  }
}
