/**
 * Owns which alerts send no notifications: those that a silence covers, and those that another alert inhibits. Does not own the notifications.
 *
 * Invariants
 * 1. A silence includes its start and excludes its end. It covers pending and firing alerts alike.
 * 2. Only a firing alert inhibits, silenced or not. An alert that is both source and target of a rule is not inhibited by others that are both.
 */
import type { Labels, Silence } from './alert.ts';
import { compilePattern } from './pattern.ts';
import type { InhibitRule, LabelMatcher } from './rule.ts';

type LabelTest = (labels: Labels) => boolean;

const MAX_SILENCES = 1_000;
/** How long a silence is kept after its end. */
const KEPT_MS = 24 * 3_600_000;

interface Labelled {
  readonly fingerprint: string;
  readonly labels: Labels;
}

export class Silences {
  readonly #silences = new Map<string, { readonly silence: Silence; readonly covers: LabelTest }>();

  /** @throws RangeError for invalid matchers or times */
  put(silence: Silence): void {
    if (!(silence.endsAtEpochMs > silence.startsAtEpochMs)) throw new RangeError('endsAtEpochMs: must be after startsAtEpochMs');
    const covers = compileMatchers(silence.matchers);
    if (!this.#silences.has(silence.id) && this.#silences.size >= MAX_SILENCES)
      throw new RangeError(`silences: at most ${MAX_SILENCES}; end some first`);
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

  /** Replaces all silences, or none when one of them is invalid. */
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

/** Returns a test that passes when every matcher matches, as in Alertmanager: a missing label counts as empty. @throws RangeError for a list that is empty or too long, or an invalid pattern */
function compileMatchers(matchers: readonly LabelMatcher[]): LabelTest {
  if (matchers.length === 0) throw new RangeError('matchers: at least one is required, or everything would match');
  if (matchers.length > 20) throw new RangeError(`matchers: ${matchers.length} is too many; at most 20`);
  const tests = matchers.map(compileMatcher);
  return (labels) => tests.every((test) => test(labels));
}

function compileMatcher({ name, value, isRegex = false, isEqual = true }: LabelMatcher): LabelTest {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) throw new RangeError(`matchers: "${name.slice(0, 40)}" is not a valid label name`);
  const test = isRegex ? compilePattern(value) : (text: string): boolean => text === value;
  return (labels) => test(Object.hasOwn(labels, name) ? (labels[name] ?? '') : '') === isEqual;
}
