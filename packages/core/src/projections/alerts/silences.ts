/**
 * Owns which alerts need not be told: those that a silence covers, and those that follow from another alert. Does not own the telling.
 *
 * Invariants
 * 1. A silence begins at its start and ends at its end, and covers what waits and what fires alike.
 * 2. Only a firing alert inhibits, silenced or not. An alert that is source and target of the same rule is not inhibited by others that are both too.
 */
import type { Labels, Silence } from './alert.ts';
import type { LabelTest } from './matcher.ts';
import { compileMatchers } from './matcher.ts';
import type { InhibitRule } from './rule.ts';

const MAX_SILENCES = 1_000;
/** Beyond its end. */
const KEPT_MS = 24 * 3_600_000;

interface Labelled {
  readonly fingerprint: string;
  readonly labels: Labels;
}

export class Silences {
  readonly #silences = new Map<string, { readonly silence: Silence; readonly covers: LabelTest }>();

  /** Errors: RangeError for matchers or times that cannot be. */
  put(silence: Silence): void {
    if (!(silence.endsAtEpochMs > silence.startsAtEpochMs)) throw new RangeError('endsAtEpochMs: a silence ends after it begins');
    const covers = compileMatchers(silence.matchers);
    if (!this.#silences.has(silence.id) && this.#silences.size >= MAX_SILENCES)
      throw new RangeError(`silences: at most ${MAX_SILENCES}, end some`);
    this.#silences.set(silence.id, { silence, covers });
  }

  end(id: string, nowEpochMs: number): boolean {
    const found = this.#silences.get(id);
    if (!found || found.silence.endsAtEpochMs <= nowEpochMs) return false;
    if (found.silence.startsAtEpochMs >= nowEpochMs) this.#silences.delete(id);
    else this.#silences.set(id, { ...found, silence: { ...found.silence, endsAtEpochMs: nowEpochMs } });
    return true;
  }

  forget(nowEpochMs: number): void {
    for (const [id, { silence }] of this.#silences) if (silence.endsAtEpochMs + KEPT_MS < nowEpochMs) this.#silences.delete(id);
  }

  list(): readonly Silence[] {
    return [...this.#silences.values()].map(({ silence }) => silence);
  }

  covering(labels: Labels, nowEpochMs: number): readonly string[] {
    return [...this.#silences.values()]
      .filter(({ silence, covers }) => silence.startsAtEpochMs <= nowEpochMs && nowEpochMs < silence.endsAtEpochMs && covers(labels))
      .map(({ silence }) => silence.id);
  }

  /** All of them or, where one cannot be, none. */
  replace(silences: readonly Silence[]): void {
    const others = new Silences();
    for (const silence of silences) others.put(silence);
    this.#silences.clear();
    for (const [id, entry] of others.#silences) this.#silences.set(id, entry);
  }
}

export type Inhibitors = (target: Labelled, firing: readonly Labelled[]) => readonly string[];

export function compileInhibitRules(rules: readonly InhibitRule[]): Inhibitors {
  const compiled = rules.map(({ source, target, equal }) => ({
    isSource: compileMatchers(source),
    isTarget: compileMatchers(target),
    equal,
  }));
  return (target, firing) => {
    const found = compiled.flatMap(({ isSource, isTarget, equal }) => {
      if (!isTarget(target.labels)) return [];
      const isBoth = isSource(target.labels);
      return firing.filter(
        ({ labels }) =>
          isSource(labels) && equal.every((name) => (labels[name] ?? '') === (target.labels[name] ?? '')) && !(isBoth && isTarget(labels)),
      );
    });
    return [...new Set(found.map(({ fingerprint }) => fingerprint))];
  };
}
