/**
 * The specification of a service of several tools as a plain program: whose settings, circuit, attempts and metrics count when a call goes on to alternatives and to its
 * fallback (S0 2 to 4, 6, 8; S4). It shares no code with the packages.
 */
export interface ServiceStep {
  readonly does: 'succeed' | 'fail_transient' | 'fail_permanent' | 'hang';
  readonly afterMs: number;
}

/** One layer of settings: what it leaves out is that of the layer below. */
export interface Layer {
  readonly timeoutMs?: number;
  readonly maxAttempts?: number;
  readonly initialDelayMs?: number;
  readonly failureThreshold?: number;
}

export interface ToolPlan {
  readonly steps: readonly ServiceStep[];
  readonly own: Layer;
  readonly alternatives: readonly string[];
  readonly fallback: { readonly value: unknown } | undefined;
}

/** What is recorded of one tool, in rows. */
export interface ServiceRecord {
  readonly errors: unknown[][];
  readonly timeouts: unknown[][];
  readonly retries: unknown[][];
  readonly successes: unknown[][];
  readonly alternatives: unknown[][];
  readonly fallbacks: unknown[][];
  readonly opened: unknown[][];
  readonly escalated: unknown[][];
  readonly refused: unknown[][];
  readonly notices: unknown[][];
}

interface Counters {
  total: number;
  success: number;
  error: number;
  timeout: number;
  refused: number;
  ran: number;
  ranMs: number;
  transient: number;
  permanent: number;
  retries: number;
  retrySuccesses: number;
  opens: number;
  timeouts: number;
}

interface ToolState extends ToolPlan {
  started: number;
  failures: number;
  state: 'closed' | 'open' | 'half_open';
  openUntil: number;
  permanents: number;
  readonly counters: Counters;
}

/** How the attempts with one tool ended. */
interface Ending {
  readonly succeeded: boolean;
  readonly output?: string;
  readonly code?: string;
  readonly text?: string;
  readonly classification?: 'transient' | 'permanent' | 'neutral';
  readonly stoppedBy?: string;
  readonly retryAfterMs?: number;
  /** For the `ToolError` of the last attempt; absent if the tool was not run. */
  readonly note?: (decision: string) => void;
}

const spec: Required<Layer> = { timeoutMs: 30_000, maxAttempts: 5, initialDelayMs: 100, failureThreshold: 5 };
const openMs = 30_000;
const maxTotalTimeMs = 2_000;
const maxDelayMs = 800;
export const words = { fail_transient: 'Connection reset', fail_permanent: 'Invalid airport code: XYZ' } as const;
const codes = { fail_transient: 'NETWORK_ERROR', fail_permanent: 'INVALID_INPUT' } as const;
export const outputOf = (name: string, step: number): string => `${name} ${step}`;

export class ServiceModel {
  now = 0;
  readonly record: ServiceRecord = {
    errors: [],
    timeouts: [],
    retries: [],
    successes: [],
    alternatives: [],
    fallbacks: [],
    opened: [],
    escalated: [],
    refused: [],
    notices: [],
  };
  readonly #tools = new Map<string, ToolState>();
  readonly #common: Layer;
  /** What counts as one failure: an attempt (S0 3), or what finally failed (S4). */
  readonly #unit: 'attempt' | 'call';
  #attempts = 0;

  constructor(tools: Readonly<Record<string, ToolPlan>>, common: Layer, unit: 'attempt' | 'call') {
    this.#common = common;
    this.#unit = unit;
    for (const [name, plan] of Object.entries(tools)) {
      const counters = { total: 0, success: 0, error: 0, timeout: 0, refused: 0, ran: 0, ranMs: 0, transient: 0, permanent: 0 };
      this.#tools.set(name, {
        ...plan,
        started: 0,
        failures: 0,
        state: 'closed',
        openUntil: 0,
        permanents: 0,
        counters: { ...counters, retries: 0, retrySuccesses: 0, opens: 0, timeouts: 0 },
      });
    }
  }

  circuit(name: string): ToolState['state'] {
    const tool = this.#tool(name);
    if (tool.state === 'open' && this.now >= tool.openUntil) {
      tool.state = 'half_open';
      tool.permanents = 0;
    }
    return tool.state;
  }

  health(name: string): readonly unknown[] {
    return [this.circuit(name), this.#tool(name).failures];
  }

  counters(name: string): Counters {
    return this.#tool(name).counters;
  }

  /** The result of a call, as far as it is told by the documents. */
  call(name: string, own: Layer): Readonly<Record<string, unknown>> {
    const began = this.now;
    this.#attempts = 0;
    const requested = this.#tool(name);
    let servedBy = name;
    let ending = this.#run(name, own);
    let lastFailure = ending.code === 'CIRCUIT_OPEN' ? undefined : ending;
    const left = [...requested.alternatives];
    while (!ending.succeeded) {
      const at = left.findIndex((other) => this.circuit(other) !== 'open');
      if (at === -1) break;
      const [alternative = ''] = left.splice(at, 1);
      ending.note?.('use_alternative');
      this.record.alternatives.push([name, alternative, 'Used alternative tool']);
      servedBy = alternative;
      ending = this.#run(alternative, {});
      lastFailure = ending;
    }
    const base = { toolName: name, servedBy, attempts: this.#attempts, executionTime: this.now - began };
    const result = ending.succeeded
      ? { ...base, status: 'success', output: ending.output, ...(servedBy === name ? {} : { fallbackUsed: true }) }
      : this.#fail(requested, name, base, ending, lastFailure ?? ending);
    this.#count(requested.counters, result as { readonly status: 'success' | 'error' | 'timeout' }, base.executionTime);
    return result;
  }

  #fail(requested: ToolPlan, name: string, base: object, ending: Ending, last: Ending): Readonly<Record<string, unknown>> {
    const { code, text, classification } = last;
    const error = {
      code,
      message: classification === 'neutral' || code === 'TOOL_TIMEOUT' ? text : `Tool error: ${text ?? ''}`,
      classification,
      retryable: classification === 'transient',
      stoppedBy: ending.stoppedBy,
      retryAfterMs: ending.retryAfterMs,
    };
    ending.note?.(requested.fallback ? 'use_default' : 'escalate');
    if (requested.fallback) {
      this.record.fallbacks.push([name, `Used fallback value for ${name}`]);
      return { ...base, status: 'error', output: requested.fallback.value, fallbackUsed: true, error };
    }
    this.record.escalated.push([name, code, `Escalated: ${text ?? ''}`]);
    return { ...base, status: code === 'TOOL_TIMEOUT' ? 'timeout' : 'error', error };
  }

  #count(counters: Counters, { status }: { readonly status: 'success' | 'error' | 'timeout' }, tookMs: number): void {
    counters.total += 1;
    counters[status] += 1;
    if (this.#attempts > 0) {
      counters.ran += 1;
      counters.ranMs += tookMs;
    }
  }

  /** All attempts with one tool. */
  #run(name: string, call: Layer): Ending {
    const tool = this.#tool(name);
    const { timeoutMs, maxAttempts, initialDelayMs } = { ...spec, ...this.#common, ...tool.own, ...call };
    if (this.circuit(name) === 'open') return this.#refuse(name, tool);
    let firstFailure: number | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const probing = this.circuit(name) === 'half_open';
      const { step, number, isLate } = this.#attempt(name, tool, timeoutMs);
      const does = isLate ? 'fail_transient' : step.does;
      const isOpen = does === 'fail_transient' && this.#unit === 'call' && !probing;
      if (!isOpen) this.#observe(name, tool, does);
      if (does === 'succeed') {
        if (attempt > 1) tool.counters.retrySuccesses += 1;
        const retried = attempt > 1 ? [attempt - 1, `Tool succeeded on retry ${attempt}`] : [undefined, undefined];
        this.record.successes.push([name, number, ...retried]);
        return { succeeded: true, output: outputOf(name, tool.started - 1) };
      }
      const isTransient = does !== 'fail_permanent';
      tool.counters[isTransient ? 'transient' : 'permanent'] += 1;
      const text = isLate
        ? `Tool timeout after ${timeoutMs >= 1_000 ? `${timeoutMs / 1_000}s` : `${timeoutMs}ms`}`
        : words[does as 'fail_transient'];
      const code = isLate ? 'TOOL_TIMEOUT' : codes[does as 'fail_transient'];
      const classification = isTransient ? 'transient' : 'permanent';
      this.record.notices.push([name, number, code, text]);
      const { state } = tool;
      const note = (decision: string): void =>
        void this.record.errors.push([name, number, attempt - 1, classification, state, decision, code, text]);
      const end = (more: Partial<Ending>): Ending => {
        if (isOpen) this.#observe(name, tool, does);
        return { succeeded: false, code, text, classification, note, ...more };
      };
      if (!isTransient) return end({});
      firstFailure ??= this.now;
      if (probing || state === 'open') return end({ stoppedBy: 'circuit', retryAfterMs: tool.openUntil - this.now });
      if (attempt >= maxAttempts) return end({ stoppedBy: 'attempts' });
      const delay = Math.min(initialDelayMs * 2 ** (attempt - 1), maxDelayMs);
      if (this.now + delay - firstFailure >= maxTotalTimeMs) return end({ stoppedBy: 'budget' });
      note('retry');
      tool.counters.retries += 1;
      this.record.retries.push([name, number + 1, delay]);
      this.now += delay;
    }
  }

  #refuse(name: string, tool: ToolState): Ending {
    const retryAfterMs = tool.openUntil - this.now;
    tool.counters.refused += 1;
    this.record.refused.push([name, 'CIRCUIT_OPEN', retryAfterMs]);
    const text = `Circuit open for ${name}`;
    this.record.notices.push([name, 0, 'CIRCUIT_OPEN', text]);
    return { succeeded: false, code: 'CIRCUIT_OPEN', text, classification: 'neutral', retryAfterMs };
  }

  #attempt(
    name: string,
    tool: ToolState,
    timeoutMs: number,
  ): { readonly step: ServiceStep; readonly number: number; readonly isLate: boolean } {
    const step = tool.steps[Math.min(tool.started, tool.steps.length - 1)] as ServiceStep;
    tool.started += 1;
    this.#attempts += 1;
    const isLate = step.does === 'hang' || step.afterMs >= timeoutMs;
    this.now += isLate ? timeoutMs : step.afterMs;
    if (isLate) {
      tool.counters.timeouts += 1;
      this.record.timeouts.push([name, timeoutMs, this.#attempts]);
    }
    return { step, number: this.#attempts, isLate };
  }

  /** The circuit of the tool that ran. */
  #observe(name: string, tool: ToolState, does: ServiceStep['does']): void {
    const { failureThreshold } = { ...spec, ...this.#common, ...tool.own };
    if (does === 'succeed' || does === 'fail_permanent') {
      if (does === 'fail_permanent') tool.permanents += 1;
      if (does === 'fail_permanent' && tool.state === 'half_open' && tool.permanents < 3) return;
      tool.state = 'closed';
      tool.failures = 0;
      tool.permanents = 0;
      return;
    }
    tool.failures += 1;
    if (tool.state !== 'half_open' && tool.failures < failureThreshold) return;
    tool.state = 'open';
    tool.openUntil = this.now + openMs;
    tool.counters.opens += 1;
    this.record.opened.push([name, tool.failures, `Circuit breaker opened for ${name}`]);
  }

  #tool(name: string): ToolState {
    const tool = this.#tools.get(name);
    if (!tool) throw new Error(`There is no tool ${name}`);
    return tool;
  }
}
