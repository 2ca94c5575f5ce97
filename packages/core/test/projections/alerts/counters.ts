/** Counters that a test sets directly, in the form of the metrics fold. */
import type { Labels } from '../../../src/projections/alerts/alert.ts';

export class Counters {
  readonly #series = new Map<string, { readonly name: string; readonly labels: Labels; value: number }>();

  set(name: string, labels: Labels, value: number): this {
    this.#series.set(JSON.stringify([name, labels]), { name, labels, value });
    return this;
  }

  add(name: string, labels: Labels, value: number): this {
    const key = JSON.stringify([name, labels]);
    return this.set(name, labels, (this.#series.get(key)?.value ?? 0) + value);
  }

  remove(name: string): this {
    for (const [key, series] of this.#series) if (series.name === name) this.#series.delete(key);
    return this;
  }

  samples(name: string): readonly { readonly name: string; readonly labels: Labels; readonly value: number }[] {
    return [...this.#series.values()].filter((series) => series.name === name);
  }

  /** Adds calls of a tool with an outcome. */
  calls(tool: string, count: number, outcome = 'success'): this {
    return this.add('holdfast_tool_calls_total', { tool, outcome }, count);
  }

  /** Adds every series of a tool that the rules select, at 0. */
  tool(tool: string): this {
    for (const outcome of ['success', 'error', 'timeout', 'refused', 'skipped']) this.calls(tool, 0, outcome);
    for (const state of ['open', 'half_open']) this.set('holdfast_circuit_state', { tool, state }, 0);
    for (const suffix of ['sum', 'count']) {
      this.set(`holdfast_tool_attempt_duration_seconds_${suffix}`, { tool }, 0);
      this.set(`holdfast_tool_call_duration_seconds_${suffix}`, { tool }, 0);
    }
    this.set('holdfast_tool_responses_invalid_total', { tool, kind: 'schema' }, 0);
    this.set('holdfast_tool_retries_denied_total', { tool, reason: 'retry_budget' }, 0);
    return this.set('holdfast_tool_orphans_total', { tool, result: 'abandoned' }, 0);
  }
}
