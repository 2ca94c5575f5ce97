/**
 * Owns the log of a repair. Paths of added and moved parts are resolved at the end, when all parts are in place.
 *
 * Invariant: a part without a path in the original request is reported as a whole when added; its later edits are not.
 */
import type { Change, RuleViolation } from '../report.ts';
import { kindOf } from '../rule-kinds.ts';
import type { RuleId, RuleKind } from '../rules.ts';
import { itemAt } from '../json.ts';
import type { Message, Part } from '../transcript.ts';

export type Target = Part | Message;

/** The result of a repair, for resolving paths. */
export interface RepairedPlaces {
  readonly given: unknown;
  readonly places: (wanted: ReadonlySet<Target>) => ReadonlyMap<Target, string>;
  /** The serialized form of a part or message. */
  readonly written: (target: Target) => unknown;
}

/** For a repair that has added and moved nothing. */
export const noPlaces = (given: unknown): RepairedPlaces => ({ given, places: () => new Map(), written: ({ native }) => native });

interface Entry {
  readonly change: Change;
  readonly target: Target | undefined;
}

export class RepairLog {
  readonly #entries: Entry[] = [];
  readonly #problems: RuleViolation[] = [];
  readonly #seen = new Set<string>();

  get clean(): boolean {
    return this.#entries.length === 0;
  }

  get problems(): readonly RuleViolation[] {
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

  problem(rule: RuleId, path: string, message: string, kind: RuleKind = kindOf(rule)): void {
    const key = `${rule} ${path} ${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#problems.push({ rule, kind, path, message });
  }

  /**
   * The changes with their final paths. Additions that were removed again are left out, and so are edits inside parts that were
   * removed in the end.
   */
  finish({ given, places, written }: RepairedPlaces): readonly Change[] {
    const wanted = new Set(this.#entries.flatMap(({ target }) => target ?? []));
    const known = wanted.size > 0 ? places(wanted) : new Map<Target, string>();
    const removed = new Set(this.#entries.flatMap(({ change }) => (change.action === 'removed' ? [change.path] : [])));
    return this.#entries.flatMap(({ change, target }): readonly Change[] => {
      if (change.action === 'removed') return [{ ...change, before: itemAt(given, change.path.split('.')) ?? null }];
      if (!target) return removed.size > 0 && isInside(change.path, removed) ? [] : [change];
      const place = known.get(target);
      if (change.action === 'added') return place === undefined ? [] : [{ ...change, path: place, after: written(target) }];
      return place === undefined ? [] : [{ ...change, after: place }];
    });
  }
}

/** Whether a path leads into a removed part. */
function isInside(path: string, removed: ReadonlySet<string>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) if (removed.has(path.slice(0, end))) return true;
  return false;
}
