/**
 * Owns when the gate of a tool is in doubt: when unobserved attempts determine whether it lets a call through. Kept for one run of the turns.
 *
 * 1. A circuit is in doubt as soon as it may have opened if all of its unknown attempts failed in a row, and for every unknown attempt while it is not closed;
 *    limits, as soon as unknown calls may have used them up (`limit-doubt.ts`).
 * 2. Doubt ends with successes that would have closed the circuit in any case, after a time without failures and unknowns in which it would have admitted them.
 * 3. What a gate has learned of its tool is in doubt from the first unknown attempt on, since it never forgets.
 */
import type { ToolSettings } from '@holdfast/core';
import type { ReadTurn } from './read-turns.ts';
import { LimitDoubt } from './limit-doubt.ts';
import type { AttemptEnd, MadeAttempt, RunListener } from './run-turns.ts';
import { affectsAll, callSpanMs, type Setting, settingsOf, toolsOfCall, turnSettings } from './settings-of.ts';
import { mergeSpans, type Span, type Spans } from './spans.ts';

interface MayFail {
  readonly until: number;
  readonly count: number;
}

interface GateDoubt {
  since: number | undefined;
  readonly spans: Span[];
  /** Failures since the last certain success. */
  inRow: number;
  lastSuccess: number;
  mayFail: MayFail[];
  /** Ends of attempts, for a rate detector. */
  ended: { readonly at: number; readonly failed: boolean }[];
  readonly limits: LimitDoubt;
  lastTrouble: number;
  successesSince: number;
  horizonMs: number;
  firstUnknown: number | undefined;
}

export class Doubts implements RunListener {
  readonly #setting: Setting;
  /** Without changes nothing is unknown: an unknown attempt then means that a gate differs from the traces. */
  readonly #strict: boolean;
  readonly #affectsAll: ReturnType<typeof affectsAll>;
  /** By tool, and then by partition; `''`: the tool's own gate. */
  readonly #gates = new Map<string, Map<string, GateDoubt>>();
  readonly #known = new Set<string>();
  /** Turns whose calls have claimed the limits of a tool. */
  readonly #claimed = new Set<string>();
  /** When attempts were made at moments without a recorded one, by tool. */
  readonly deviations: Map<string, number[]> = new Map<string, number[]>();

  constructor(setting: Setting, sameMomentMs: number, strict = false) {
    this.#affectsAll = affectsAll(sameMomentMs);
    this.#setting = setting;
    this.#strict = strict;
  }

  recordUnknown(made: MadeAttempt): void {
    if (made.deviates) this.recordDeviation(made.toolName, made.now);
    this.#differs(made, this.#reach(made.turn, made.callId));
  }

  recordStart(made: MadeAttempt): void {
    const gate = this.#gate(made.turn, made.toolName);
    gate.limits.note('start', made.now);
    if (gate.since === undefined && gate.limits.isExceeded(made.now)) gate.since = made.now;
    if (gate.since === undefined) return;
    // It may have waited here, or been refused: then what follows it differs.
    const others = [...this.#reach(made.turn, made.callId)].filter((name) => name !== made.toolName);
    if (others.length > 0) this.#differs(made, others);
  }

  recordEnd(turn: ReadTurn, toolName: string, now: number, how: AttemptEnd, certain: boolean): void {
    const gate = this.#gate(turn, toolName);
    const settings = this.#settings(toolName);
    gate.limits.note('end', now);
    if (how === 'neither') return;
    if (how === 'failure') gate.limits.note('failure', now);
    if (gate.since === undefined && settings.breaker && settings.breaker.rate) gate.ended.push({ at: now, failed: how === 'failure' });
    if (how === 'failure') {
      gate.inRow += 1;
      gate.lastTrouble = now;
      gate.successesSince = 0;
      if (gate.since === undefined && gate.firstUnknown !== undefined && this.#mayRefuse(toolName, gate, now)) gate.since = now;
      return;
    }
    if (!certain) return;
    if (gate.since === undefined) {
      gate.inRow = 0;
      gate.lastSuccess = now;
    } else if (now - gate.lastTrouble > gate.horizonMs) {
      gate.successesSince += 1;
      const needed = settings.breaker ? settings.breaker.successThreshold : 0;
      if (gate.successesSince > needed + 1 && !isLasting(settings)) this.#settle(gate, toolName, now);
    }
  }

  recordDeviation(toolName: string, at: number): void {
    const known = this.deviations.get(toolName);
    if (known) known.push(at);
    else this.deviations.set(toolName, [at]);
  }

  firstUnknown(toolName: string): number | undefined {
    const first = Math.min(...this.#gatesOf(toolName).map(({ firstUnknown }) => firstUnknown ?? Infinity));
    return first === Infinity ? undefined : first;
  }

  /** A tool is in doubt while one of its gates is. */
  spans(): Spans {
    const ofGate = ({ spans, since }: GateDoubt): readonly Span[] =>
      since === undefined ? spans : [...spans, { from: since, to: Infinity }];
    return new Map([...this.#gates.keys()].map((name) => [name, mergeSpans(this.#gatesOf(name).flatMap(ofGate))]));
  }

  #gatesOf(toolName: string): readonly GateDoubt[] {
    return [...(this.#gates.get(toolName)?.values() ?? [])];
  }

  #settle(gate: GateDoubt, toolName: string, now: number): void {
    gate.spans.push({ from: gate.since ?? now, to: now });
    gate.since = undefined;
    gate.inRow = 0;
    gate.lastSuccess = now;
    gate.mayFail = [];
    // The limits of a tool hold for all of its gates.
    if (this.#gatesOf(toolName).every(({ since }) => since === undefined)) gate.limits.forget();
    gate.ended = [];
  }

  /** The call differs from the record, and what follows it: these tools' gates receive other outcomes. */
  #differs({ turn, callId, toolName, now, circuitClosed }: MadeAttempt, tools: Iterable<string>): void {
    const key = `${turn.turnId} ${callId}`;
    const isFirst = !this.#known.has(key);
    this.#known.add(key);
    const spanMs = this.#turnSpanMs(turn);
    for (const name of tools) {
      const gate = this.#gate(turn, name);
      gate.firstUnknown ??= now;
      gate.lastTrouble = now;
      gate.successesSince = 0;
      gate.horizonMs = Math.max(gate.horizonMs, spanMs + memoryMs(this.#settings(name)));
      // While the gate is in doubt nothing more can add to it; the data for it is dropped when the doubt ends.
      if (gate.since !== undefined) continue;
      if (isFirst) gate.mayFail.push({ until: now + spanMs, count: this.#settings(name).retry.maxAttempts });
      this.#claim(turn, name, gate, now + spanMs);
      if ((name === toolName && !circuitClosed) || this.#mayRefuse(name, gate, now)) gate.since = now;
    }
  }

  /** All calls of a turn that may use the tool claim its limits, once: each may begin as soon as a call of the turn differs. */
  #claim(turn: ReadTurn, name: string, { limits }: GateDoubt, until: number): void {
    const key = `${turn.turnId} ${name}`;
    if (this.#claimed.has(key)) return;
    this.#claimed.add(key);
    const calls = turn.recording.graph.nodes.filter(({ call }) => toolsOfCall(this.#setting, call.toolName).includes(name));
    limits.claim(calls.length, until);
  }

  #mayRefuse(name: string, gate: GateDoubt, now: number): boolean {
    if (this.#strict) return true;
    const settings = this.#settings(name);
    if (isLasting(settings)) return true;
    if (gate.limits.isExceeded(now)) return true;
    const { breaker } = settings;
    if (!breaker) return false;
    gate.mayFail = gate.mayFail.filter(({ until }) => until >= gate.lastSuccess);
    const unknown = gate.mayFail.reduce((total, { count }) => total + count, 0);
    if (gate.inRow + unknown >= breaker.failureThreshold) return true;
    const { rate } = breaker;
    if (!rate) return false;
    if (rate.slowCallMs !== undefined) return true;
    gate.ended = gate.ended.filter(({ at }) => at >= now - rate.windowMs);
    const failed = gate.ended.filter((each) => each.failed).length;
    const all = Math.max(rate.minimumCalls, gate.ended.length);
    return (failed + unknown) / Math.max(all, unknown) >= rate.failureRate;
  }

  #gate({ recording: { partitions } }: ReadTurn, name: string): GateDoubt {
    const gates = this.#gates.get(name) ?? new Map<string, GateDoubt>();
    this.#gates.set(name, gates);
    const partition = (Object.hasOwn(partitions, name) && partitions[name]) || '';
    const known = gates.get(partition);
    if (known) return known;
    const [peer] = gates.values();
    const gate = gateDoubt(peer?.limits ?? new LimitDoubt(this.#settings(name)));
    gates.set(partition, gate);
    return gate;
  }

  #settings(name: string): ToolSettings {
    return settingsOf(this.#setting, name);
  }

  /** The tools whose gates receive other outcomes when a call differs. */
  #reach(turn: ReadTurn, callId: string): ReadonlySet<string> {
    const { nodes } = turn.recording.graph;
    const isShared = this.#affectsAll(turn, this.#setting);
    const reached = new Set([callId]);
    const tools = new Set<string>();
    for (const node of nodes) {
      if (!isShared && !reached.has(node.callId) && !node.dependsOn.some((id) => reached.has(id))) continue;
      reached.add(node.callId);
      for (const name of toolsOfCall(this.#setting, node.call.toolName)) tools.add(name);
    }
    return tools;
  }

  #turnSpanMs(turn: ReadTurn): number {
    const { timeoutMs } = turnSettings(turn, this.#setting);
    const spans = turn.recording.graph.nodes.map(({ call }) => callSpanMs(this.#setting, call.toolName));
    return Math.min(
      timeoutMs ?? Infinity,
      spans.reduce((total, span) => total + span, 0),
    );
  }
}

const gateDoubt = (limits: LimitDoubt): GateDoubt => ({
  since: undefined,
  spans: [],
  inRow: 0,
  lastSuccess: -Infinity,
  mayFail: [],
  ended: [],
  limits,
  lastTrouble: -Infinity,
  successesSince: 0,
  horizonMs: 0,
  firstUnknown: undefined,
});

/** How long a gate remembers earlier outcomes. */
function memoryMs({ breaker, retryBudget, rateLimit, timeoutMs }: ToolSettings): number {
  const circuitMs = breaker ? breaker.openMs + (breaker.rate?.windowMs ?? 0) + timeoutMs + 1_000 : 0;
  return Math.max(circuitMs, retryBudget ? retryBudget.windowMs : 0, rateLimit ? rateLimit.windowMs : 0);
}

/** A gate whose calls wait for recovery keeps what it has learned of its tool. */
function isLasting({ hedge, waitForRecovery = false }: ToolSettings): boolean {
  return waitForRecovery !== false || (hedge !== false && hedge.afterMs === 'p95');
}
