/**
 * Owns the alert engine: rules, their alerts so far, silences and acknowledgements. Does not own a clock (events and callers pass the time), the counting
 * (`@holdfast/core/metrics`) or notifications.
 *
 * Invariants
 * 1. The same events and evaluations give the same changes. Evaluated with the same samples at the same times, a rule fires exactly when Prometheus fires it.
 * 2. Everything is bounded: series, samples, alerts, silences, pointers.
 * 3. The counters of a process begin at 0: a series that appears between two evaluations was 0 at the first of them.
 */
import { checkEvent } from '../../engine/trace/check-event.ts';
import { checkOptions } from '../../engine/settings/check-options.ts';
import { checkRule, listOf, type Fields } from '../../engine/settings/check.ts';
import { count, period } from '../../engine/settings/fields.ts';
import type { Metrics } from '../metrics/create-metrics.ts';
import { createMetrics } from '../metrics/create-metrics.ts';
import { refuse } from '../../engine/settings/check.ts';
import type { TraceEvent, TraceEventType } from '../../engine/trace/events.ts';
import type { Acknowledgement, Alert, AlertChange, AlertPointer, RuleStatus, Silence } from './alert.ts';
import { roleOf, Pointers, pointerTo, rulesByEvent, toolOf } from './causes.ts';
import { checkInhibitRules, checkRules } from './check-rules.ts';
import { defaultAlertRules, defaultInhibitRules } from './default-rules.ts';
import { keyOfAlert, readsIdleTools } from './measure.ts';
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
  /** Which firing alerts mute the notifications of others. @default defaultInhibitRules */
  readonly inhibitRules?: readonly InhibitRule[];
  /** Counters that the caller feeds, each event before it reaches this engine. @default counters that the engine feeds */
  readonly metrics?: SampleSource;
  /** An event triggers an evaluation when this much time has passed since the last one. @default 15000 */
  readonly intervalMs?: number;
  /** Series that appear later count from 0. Prometheus counts them from their first value. @default true */
  readonly seriesBeginAtZero?: boolean;
  /** Alerts kept at a time, recently resolved ones included. @default 1000 */
  readonly maxAlerts?: number;
  /** Called with every change. */
  readonly onChange?: (changes: readonly AlertChange[]) => void;
}

/** Evaluates alert rules over trace events and keeps their alerts, silences and acknowledgements. */
export interface AlertEngine {
  /** Processes one event. Needs no `this`: `service.subscribe(alerts.observe)`. */
  readonly observe: (event: TraceEvent) => void;
  /** Samples the counters and evaluates every rule. Returns the changes. @throws TypeError | RangeError for an invalid time */
  evaluate(nowEpochMs: number): readonly AlertChange[];
  /** Returns the firing alerts, silenced and inhibited ones included. An engine that feeds its own counters first evaluates the events since its last evaluation. */
  active(): readonly Alert[];
  /** Returns the alerts that are pending or firing, or were resolved within the last 15 minutes. */
  alerts(): readonly Alert[];
  /** Returns the status of every rule, in the order of the rules. */
  rules(): readonly RuleStatus[];
  /** Adds a silence, or replaces the one with its id. @throws RangeError for invalid times or matchers */
  silence(silence: Silence): void;
  /** Ends a silence. Returns whether it existed and had not ended. */
  endSilence(id: string, nowEpochMs: number): boolean;
  /** Returns all silences, including those that ended within the last day. */
  silences(): readonly Silence[];
  /** Acknowledges an alert until it ends. Returns the alert, or undefined when none with this fingerprint is pending or firing. */
  acknowledge(fingerprint: string, acknowledgement: Acknowledgement): Alert | undefined;
  /** Removes the acknowledgement of an alert. Returns the alert, or undefined when none with this fingerprint is pending or firing. */
  withdrawAcknowledgement(fingerprint: string): Alert | undefined;
  /** Returns the state of the engine without the counters, as JSON. */
  save(): SavedAlerts;
  /** Restores the state that `save()` returned. Alerts of rules that no longer exist are dropped. @throws TypeError for any other value */
  restore(saved: SavedAlerts): void;
}

const MAX_UNCHANGED = 20;

/** Creates an alert engine. @throws TypeError | RangeError for an invalid option or rule, naming its path, the value and the fix */
export function createAlertEngine(options: AlertEngineOptions = {}): AlertEngine {
  const engine = new Engine(options);
  return {
    observe(event) {
      checkEvent(event, 'observe');
      engine.observe(event);
    },
    evaluate: (nowEpochMs) => engine.evaluate(nowEpochMs),
    active: () => engine.alerts().filter(({ state }) => state === 'firing'),
    alerts: () => engine.alerts(),
    rules: () => engine.rules(),
    silence(silence) {
      checkOptions(silenceFields, silence, 'silence', Object.keys(silenceFields));
      engine.silences.put(silence);
    },
    endSilence(id, nowEpochMs) {
      checkRule('string', id, 'endSilence: id');
      checkRule('number', nowEpochMs, 'endSilence: nowEpochMs');
      return engine.silences.end(id, nowEpochMs);
    },
    silences: () => engine.silences.list(),
    acknowledge(fingerprint, acknowledgement) {
      checkRule('string', fingerprint, 'acknowledge: fingerprint');
      checkOptions({ by: 'string', atEpochMs: 'number', comment: 'string' }, acknowledgement, 'acknowledge', ['by', 'atEpochMs']);
      return engine.acknowledge(fingerprint, acknowledgement);
    },
    withdrawAcknowledgement(fingerprint) {
      checkRule('string', fingerprint, 'withdrawAcknowledgement: fingerprint');
      return engine.acknowledge(fingerprint, undefined);
    },
    save: () => engine.save(),
    restore: (saved) => engine.restore(saved),
  };
}

const silenceFields: Fields = {
  id: 'string',
  matchers: listOf('object', 'an array of { label, value }'),
  startsAtEpochMs: 'number',
  endsAtEpochMs: 'number',
  createdBy: 'string',
  comment: 'string',
};

const engineFields: Fields = {
  rules: checkRules,
  inhibitRules: checkInhibitRules,
  metrics: 'object',
  intervalMs: period,
  seriesBeginAtZero: 'boolean',
  maxAlerts: count,
  onChange: 'function',
};

class Engine {
  readonly silences: Silences = new Silences();
  readonly #rulesByEvent: ReadonlyMap<TraceEventType, readonly AlertRule[]>;
  readonly #metrics: SampleSource;
  /** Present when this engine feeds the counters. */
  readonly #ownMetrics: Metrics | undefined;
  readonly #intervalMs: number;
  readonly #history: SampleHistory;
  readonly #book: RuleBook;
  readonly #inhibitors: Inhibitors;
  readonly #pointers = new Pointers();
  readonly #onChange: ((changes: readonly AlertChange[]) => void) | undefined;
  /** Alerts that an early evaluation did not change. */
  readonly #unchanged = new Set<string>();
  #evaluatedAtEpochMs = -Infinity;
  /** Time of the latest event that is not evaluated yet. */
  #observedAtEpochMs: number | undefined;

  constructor(options: AlertEngineOptions) {
    checkOptions(engineFields, options, 'createAlertEngine');
    const { rules = defaultAlertRules(), seriesBeginAtZero: beginAtZero = true } = options;
    this.#rulesByEvent = rulesByEvent(rules);
    this.#ownMetrics = options.metrics ? undefined : createMetrics();
    this.#metrics = options.metrics ?? this.#ownMetrics ?? createMetrics();
    this.#intervalMs = options.intervalMs ?? 15_000;
    this.#history = new SampleHistory({
      watched: rules.flatMap((rule) => selectorsOf(rule).map((of) => ({ of, windowMs: rule.windowMs ?? 0 }))),
      intervalMs: this.#intervalMs,
      beginAtZero,
      readsIdle: !beginAtZero || rules.some(readsIdleTools),
    });
    this.#book = new RuleBook(rules, options.maxAlerts ?? 1_000);
    this.#inhibitors = compileInhibitRules(options.inhibitRules ?? defaultInhibitRules);
    this.#onChange = options.onChange;
  }

  observe(event: TraceEvent): void {
    const timestamp = Date.parse(event.timestamp);
    if (!Number.isFinite(timestamp)) return;
    const atEpochMs = Math.max(timestamp, this.#evaluatedAtEpochMs);
    if (this.#ownMetrics && this.#evaluatedAtEpochMs === -Infinity) this.#addFirstSample(atEpochMs);
    this.#ownMetrics?.observe(event);
    this.#observedAtEpochMs = atEpochMs;
    const urgent = this.#recordCause(event, atEpochMs);
    if (atEpochMs - this.#evaluatedAtEpochMs >= this.#intervalMs) this.evaluate(atEpochMs);
    else if (urgent.length > 0) this.#evaluateEarly(urgent, atEpochMs);
  }

  evaluate(nowEpochMs: number): readonly AlertChange[] {
    if (!Number.isFinite(nowEpochMs)) refuse('evaluate: nowEpochMs', nowEpochMs, 'milliseconds since the epoch', 'number');
    this.#unchanged.clear();
    return this.#evaluate(nowEpochMs);
  }

  /** Evaluates before the interval is over. Alerts that did not change are not tried again within it, so a burst of events causes no burst of evaluations. */
  #evaluateEarly(urgent: readonly string[], atEpochMs: number): void {
    if (this.#unchanged.size >= MAX_UNCHANGED || urgent.every((key) => this.#unchanged.has(key))) return;
    if (this.#evaluate(atEpochMs).length === 0) for (const key of urgent) this.#unchanged.add(key);
  }

  #evaluate(nowEpochMs: number): readonly AlertChange[] {
    this.#evaluatedAtEpochMs = nowEpochMs;
    this.#observedAtEpochMs = undefined;
    this.#history.add(nowEpochMs, this.#metrics);
    this.silences.forget(nowEpochMs);
    const transitions = this.#book.evaluate(this.#history, nowEpochMs);
    if (transitions.length === 0) return [];
    const show = this.#formatter();
    const changes = transitions.map(({ kind, ...entry }) => ({ kind, atEpochMs: nowEpochMs, alert: show(entry) }));
    this.#onChange?.(changes);
    return changes;
  }

  alerts(): readonly Alert[] {
    if (this.#ownMetrics && this.#observedAtEpochMs !== undefined) this.evaluate(this.#observedAtEpochMs);
    return this.#book.entries().map(this.#formatter());
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
    return entry && this.#formatter()(entry);
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

  /** The engine's own counters were 0 before the first event. */
  #addFirstSample(atEpochMs: number): void {
    this.#history.add(atEpochMs - this.#intervalMs, this.#metrics);
  }

  /** Records the event as a cause. Returns the alerts to evaluate now: those whose state the event can change. */
  #recordCause(event: TraceEvent, atEpochMs: number): readonly string[] {
    const urgent: string[] = [];
    for (const rule of this.#rulesByEvent.get(event.event_type) ?? []) {
      const role = roleOf(rule, event);
      if (!role) continue;
      const key = keyOf(rule, toolOf(event));
      const name = `${rule.name} ${key}`;
      if (role === 'cause') this.#pointers.put(name, pointerTo(event, atEpochMs));
      const isImmediate = role === 'end' || rule.immediate === true;
      if (isImmediate && this.#book.isFiring(rule, key) === (role === 'end')) urgent.push(name);
    }
    return urgent;
  }

  #formatter(): (entry: Entry) => Alert {
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

/** The same key as in `measure`: the tool is the only field of an event that is a label. */
function keyOf({ by }: AlertRule, tool: string | undefined): string {
  return keyOfAlert(by, tool === undefined ? {} : { tool });
}
