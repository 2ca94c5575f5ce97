import type { AlertChange } from '../../../src/projections/alerts/alert.ts';
import { type AlertEngine, type AlertEngineOptions, createAlertEngine } from '../../../src/projections/alerts/engine.ts';
import { Counters } from './counters.ts';

const second = 1_000;
export const started: number = Date.parse('2025-11-05T10:00:00.000Z');

/** An engine over counters that the test sets, evaluated every 15 s. */
export class Watched {
  readonly counters: Counters = new Counters().tool('search');
  readonly engine: AlertEngine;
  readonly changes: AlertChange[] = [];
  now: number = started;

  constructor(options: AlertEngineOptions = {}) {
    this.engine = createAlertEngine({ metrics: this.counters, onChange: (changes) => this.changes.push(...changes), ...options });
    this.engine.evaluate(this.now);
  }

  after(seconds: number): this {
    for (const end = this.now + seconds * second; this.now < end;) {
      this.now = Math.min(end, this.now + 15 * second);
      this.engine.evaluate(this.now);
    }
    return this;
  }

  calls(count: number, outcome = 'success'): this {
    this.counters.calls('search', count, outcome);
    return this;
  }

  get firing(): readonly string[] {
    return this.engine.active().map(({ name }) => name);
  }

  get log(): readonly string[] {
    return this.changes.map(({ kind, alert, atEpochMs }) => `${(atEpochMs - started) / second} ${alert.name} ${kind}`);
  }
}
