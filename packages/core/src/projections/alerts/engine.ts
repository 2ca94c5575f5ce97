/**
 * Owns the alert engine: rules, what they said until now, silences and acknowledgements. Does not own a clock (events and callers bring the time), the counting
 * (`@holdfast/core/metrics`) or telling anybody.
 *
 * Invariants
 * 1. The same events and evaluations make the same changes. Evaluated with the same samples at the same times, rules fire when Prometheus's do.
 * 2. Everything is bounded: series, samples, alerts, silences, pointers.
 * 3. The counters of a process begin at 0: a series that appears between two evaluations was 0 at the first of them.
 */
import type { Metrics } from '../metrics/create-metrics.ts';
import { createMetrics } from '../metrics/create-metrics.ts';
import { refuse } from '../../engine/settings/check.ts';
import type { TraceEvent, TraceEventType } from '../../engine/trace/events.ts';
import type { Acknowledgement, Alert, AlertChange, AlertPointer, RuleStatus, Silence } from './alert.ts';
import { meaningOf, Pointers, pointerTo, rulesByEvent, toolOf } from './causes.ts';
import { checkRules } from './check-rules.ts';
import { defaultAlertRules, defaultInhibitRules } from './default-rules.ts';
import { keyOfAlert } from './measure.ts';
import type { Inhibitors } from './silences.ts';
import { compileInhibitRules, Silences } from './silences.ts';
import type { AlertRule, InhibitRule } from './rule.ts';
import { RuleBook, type Entry } from './rule-book.ts';
import { SampleHistory, type SampleSource } from './sample-history.ts';
import type { SavedAlerts } from './saved.ts';
import { checkSavedAlerts } from './saved.ts';
import { selectorsOf } from './selectors.ts';
import { fingerprintOf, labelsOf, showAlert } from './show-alert.ts';

/** Options of `createAlertEngine`. */
export interface AlertEngineOptions {
  /** The rules to evaluate. @default defaultAlertRules() */
  readonly rules?: readonly AlertRule[];
  /** Which firing alerts make others needless. @default defaultInhibitRules */
  readonly inhibitRules?: readonly InhibitRule[];
  /** Counters that somebody else feeds, before this engine hears of the event. @default counters of its own */
  readonly metrics?: SampleSource;
  /** Events bring an evaluation when this much time went by since the last. @default 15000 */
  readonly intervalMs?: number;
  /** Series that appear later on count from 0, not from the value that they appear with as in Prometheus. @default true */
  readonly seriesBeginAtZero?: boolean;
  /** Alerts at a time, those that ended lately included. @default 1000 */
  readonly maxAlerts?: number;
  /** Hears of every change. */
  readonly onChange?: (changes: readonly AlertChange[]) => void;
}

/** Evaluates alert rules over trace events and keeps their alerts, silences and acknowledgements. */
export interface AlertEngine {
  /** May be handed over as it is: `service.subscribe(alerts.observe)`. */
  readonly observe: (event: TraceEvent) => void;
  /** Samples the counters and evaluates every rule. Answers what changed. Errors: TypeError | RangeError for what is no time. */
  evaluate(nowEpochMs: number): readonly AlertChange[];
  /** What fires now, silenced and inhibited ones too. With counters of its own the engine evaluates what it observed since it last did. */
  active(): readonly Alert[];
  /** What waits, fires, or ended within the last 15 minutes. */
  alerts(): readonly Alert[];
  /** Returns the status of every rule, in the order of the rules. */
  rules(): readonly RuleStatus[];
  /** Adds a silence, or replaces the one with its id. Errors: RangeError for times or matchers that cannot be. */
  silence(silence: Silence): void;
  /** Ends a silence. Answers whether there was one. */
  endSilence(id: string, nowEpochMs: number): boolean;
  /** Those that ended within the last day too. */
  silences(): readonly Silence[];
  /** Holds until the alert ends. Answers the alert, or undefined when none with this fingerprint waits or fires. */
  acknowledge(fingerprint: string, acknowledgement: Acknowledgement): Alert | undefined;
  /** Removes the acknowledgement of an alert. Answers the alert, or undefined when none with this fingerprint waits or fires. */
  withdrawAcknowledgement(fingerprint: string): Alert | undefined;
  /** Everything but the counters, as JSON. */
  save(): SavedAlerts;
  /** Errors: TypeError for what `save()` did not make. Alerts of rules that are gone are left out. */
  restore(saved: SavedAlerts): void;
}

const MAX_FUTILE = 20;

/** Errors: TypeError | RangeError for rules that cannot be. */
export function createAlertEngine(options: AlertEngineOptions = {}): AlertEngine {
  const engine = new Engine(options);
  return {
    observe: (event) => engine.observe(event),
    evaluate: (nowEpochMs) => engine.evaluate(nowEpochMs),
    active: () => engine.alerts().filter(({ state }) => state === 'firing'),
    alerts: () => engine.alerts(),
    rules: () => engine.rules(),
    silence: (silence) => engine.silences.put(silence),
    endSilence: (id, nowEpochMs) => engine.silences.end(id, nowEpochMs),
    silences: () => engine.silences.list(),
    acknowledge: (fingerprint, acknowledgement) => engine.acknowledge(fingerprint, acknowledgement),
    withdrawAcknowledgement: (fingerprint) => engine.acknowledge(fingerprint, undefined),
    save: () => engine.save(),
    restore: (saved) => engine.restore(saved),
  };
}

class Engine {
  readonly silences: Silences = new Silences();
  readonly #rulesByEvent: ReadonlyMap<TraceEventType, readonly AlertRule[]>;
  readonly #metrics: SampleSource;
  /** Fed by this engine itself. */
  readonly #own: Metrics | undefined;
  readonly #intervalMs: number;
  readonly #history: SampleHistory;
  readonly #book: RuleBook;
  readonly #inhibitors: Inhibitors;
  readonly #pointers = new Pointers();
  readonly #onChange: ((changes: readonly AlertChange[]) => void) | undefined;
  /** What an evaluation before its time did not change. */
  readonly #futile = new Set<string>();
  #evaluatedAtEpochMs = -Infinity;
  /** Of the latest event, where it is not evaluated yet. */
  #waitingAtEpochMs: number | undefined;

  constructor(options: AlertEngineOptions) {
    const rules = options.rules ?? defaultAlertRules();
    checkRules(rules);
    this.#rulesByEvent = rulesByEvent(rules);
    this.#own = options.metrics ? undefined : createMetrics();
    this.#metrics = options.metrics ?? this.#own ?? createMetrics();
    this.#intervalMs = options.intervalMs ?? 15_000;
    this.#history = new SampleHistory({
      watched: rules.flatMap((rule) => selectorsOf(rule).map((of) => ({ of, windowMs: rule.windowMs ?? 0 }))),
      intervalMs: this.#intervalMs,
      beginAtZero: options.seriesBeginAtZero ?? true,
    });
    this.#book = new RuleBook(rules, options.maxAlerts ?? 1_000);
    this.#inhibitors = compileInhibitRules(options.inhibitRules ?? defaultInhibitRules);
    this.#onChange = options.onChange;
  }

  observe(event: TraceEvent): void {
    const toldAt = Date.parse(event.timestamp);
    if (!Number.isFinite(toldAt)) return;
    const atEpochMs = Math.max(toldAt, this.#evaluatedAtEpochMs);
    if (this.#own && this.#evaluatedAtEpochMs === -Infinity) this.#begin(atEpochMs);
    this.#own?.observe(event);
    this.#waitingAtEpochMs = atEpochMs;
    const pressing = this.#point(event, atEpochMs);
    if (atEpochMs - this.#evaluatedAtEpochMs >= this.#intervalMs) this.evaluate(atEpochMs);
    else if (pressing.length > 0) this.#press(pressing, atEpochMs);
  }

  evaluate(nowEpochMs: number): readonly AlertChange[] {
    if (!Number.isFinite(nowEpochMs)) refuse('evaluate: nowEpochMs', nowEpochMs, 'milliseconds since the epoch', 'number');
    this.#futile.clear();
    return this.#evaluate(nowEpochMs);
  }

  /** Before its time; what changed nothing is not tried again until then, so that no storm of events brings a storm of evaluations. */
  #press(pressing: readonly string[], atEpochMs: number): void {
    if (this.#futile.size >= MAX_FUTILE || pressing.every((key) => this.#futile.has(key))) return;
    if (this.#evaluate(atEpochMs).length === 0) for (const key of pressing) this.#futile.add(key);
  }

  #evaluate(nowEpochMs: number): readonly AlertChange[] {
    this.#evaluatedAtEpochMs = nowEpochMs;
    this.#waitingAtEpochMs = undefined;
    this.#history.add(nowEpochMs, this.#metrics);
    this.silences.forget(nowEpochMs);
    const transitions = this.#book.evaluate(this.#history, nowEpochMs);
    if (transitions.length === 0) return [];
    const show = this.#showing();
    const changes = transitions.map(({ kind, ...entry }) => ({ kind, atEpochMs: nowEpochMs, alert: show(entry) }));
    this.#onChange?.(changes);
    return changes;
  }

  alerts(): readonly Alert[] {
    if (this.#own && this.#waitingAtEpochMs !== undefined) this.evaluate(this.#waitingAtEpochMs);
    return this.#book.entries().map(this.#showing());
  }

  rules(): readonly RuleStatus[] {
    return this.#book.states().map(({ rule, hasData, instances }) => {
      const count = (state: string): number => instances.filter((instance) => instance.state === state).length;
      const [pending, firing] = [count('pending'), count('firing')];
      const state = firing > 0 ? 'firing' : pending > 0 ? 'pending' : hasData ? 'inactive' : 'no_data';
      return { rule: rule.name, state, pending, firing };
    });
  }

  acknowledge(fingerprint: string, acknowledgement: Acknowledgement | undefined): Alert | undefined {
    const found = this.#book.entries().find((entry) => entry.instance.state !== 'resolved' && fingerprintOf(entry) === fingerprint);
    const entry = found && this.#book.acknowledge(found, acknowledgement);
    return entry && this.#showing()(entry);
  }

  save(): SavedAlerts {
    return {
      version: 1,
      evaluatedAtEpochMs: Number.isFinite(this.#evaluatedAtEpochMs) ? this.#evaluatedAtEpochMs : null,
      samples: this.#history.save(),
      alerts: this.#book.save(),
      silences: this.silences.list(),
      causes: this.#pointers.entries(),
    };
  }

  restore(saved: SavedAlerts): void {
    checkSavedAlerts(saved);
    this.silences.replace(saved.silences);
    this.#evaluatedAtEpochMs = saved.evaluatedAtEpochMs ?? -Infinity;
    this.#history.restore(saved.samples);
    this.#book.restore(saved.alerts);
    for (const [key, pointer] of saved.causes) this.#pointers.put(key, pointer);
  }

  /** Counters of our own were 0 before the first event. */
  #begin(atEpochMs: number): void {
    this.#history.add(atEpochMs - this.#intervalMs, this.#metrics);
  }

  /** Notes what the event is a cause of. Answers which alerts should be looked at now: not those that say it already. */
  #point(event: TraceEvent, atEpochMs: number): readonly string[] {
    const pressing: string[] = [];
    for (const rule of this.#rulesByEvent.get(event.event_type) ?? []) {
      const meaning = meaningOf(rule, event);
      if (!meaning) continue;
      const key = keyOf(rule, toolOf(event));
      const name = `${rule.name} ${key}`;
      if (meaning === 'cause') this.#pointers.put(name, pointerTo(event, atEpochMs));
      const isAsked = meaning === 'end' || rule.immediate === true;
      if (isAsked && this.#book.isFiring(rule, key) === (meaning === 'end')) pressing.push(name);
    }
    return pressing;
  }

  #showing(): (entry: Entry) => Alert {
    const firing = this.#book
      .entries()
      .filter(({ instance }) => instance.state === 'firing')
      .map((entry) => ({ fingerprint: fingerprintOf(entry), labels: labelsOf(entry) }));
    return (entry) => {
      const target = { fingerprint: fingerprintOf(entry), labels: labelsOf(entry) };
      const silencedBy = this.silences.covering(target.labels, this.#evaluatedAtEpochMs);
      return showAlert(entry, { silencedBy, inhibitedBy: this.#inhibitors(target, firing) }, this.#causeOf(entry));
    };
  }

  #causeOf({ rule, key }: Entry): AlertPointer | undefined {
    return this.#pointers.get(`${rule.name} ${key}`);
  }
}

/** As `measure` has it: of what an event says, only the tool is a label. */
function keyOf({ by }: AlertRule, tool: string | undefined): string {
  return keyOfAlert(by, tool === undefined ? {} : { tool });
}
