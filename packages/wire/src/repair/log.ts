/**
 * Owns the record of a repair while it runs. Places of what was added or moved are known only when all is in its place.
 *
 * Invariant: what has no path in the request as given is reported as a whole when it is added, and its edits are not.
 */
import type { Change, Problem } from '../report.ts';
import type { FaultKind } from '../rules.ts';
import { ruleOf, type RuleId } from '../rules.ts';
import type { Message, Part } from '../transcript.ts';

export type Target = Part | Message;

interface Entry {
  readonly change: Change;
  readonly target: Target | undefined;
}

export class Log {
  readonly #entries: Entry[] = [];
  readonly #problems: Problem[] = [];
  readonly #seen = new Set<string>();

  get clean(): boolean {
    return this.#entries.length === 0;
  }

  get problems(): readonly Problem[] {
    return this.#problems;
  }

  edited(rule: RuleId, path: string | undefined, before: unknown, after: unknown): void {
    if (path === undefined) return;
    const change: Change = {
      rule,
      path,
      action: 'edited',
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    };
    this.#entries.push({ change, target: undefined });
  }

  removed(rule: RuleId, path: string | undefined, before: unknown): void {
    if (path !== undefined) this.#entries.push({ change: { rule, path, action: 'removed', before }, target: undefined });
  }

  added(rule: RuleId, target: Target): void {
    this.#entries.push({ change: { rule, path: '', action: 'added' }, target });
  }

  moved(rule: RuleId, target: Target): void {
    if (target.path !== undefined)
      this.#entries.push({ change: { rule, path: target.path, action: 'moved', before: target.path }, target });
  }

  problem(rule: RuleId, path: string, message: string, kind: FaultKind = ruleOf(rule).kind): void {
    const key = `${rule} ${path} ${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#problems.push({ rule, kind, path, message });
  }

  /** The changes, with the places where everything stands at the end. What was added and is no longer there is left out. */
  finish(places: (wanted: ReadonlySet<Target>) => ReadonlyMap<Target, string>): readonly Change[] {
    const wanted = new Set(this.#entries.flatMap(({ target }) => target ?? []));
    const known = wanted.size > 0 ? places(wanted) : new Map<Target, string>();
    return this.#entries.flatMap(({ change, target }): readonly Change[] => {
      if (!target) return [change];
      const place = known.get(target);
      if (change.action === 'added') return place === undefined ? [] : [{ ...change, path: place, after: target.native }];
      return place === undefined ? [] : [{ ...change, after: place }];
    });
  }
}
