/**
 * Owns the mapping between original ids and names and those sent.
 *
 * Invariants
 * 1. Valid names and ids are kept. Others become a readable start (names) or a prefix (ids) plus a hash of the whole, never a truncation.
 * 2. Two names never become the same: on a collision another hash is generated.
 * 3. The same input gives the same mapping, in every process.
 */
import { digest } from '../hash.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';

/** Leads from what was sent back to what was given. */
export interface Mapping {
  /** Sent names, mapped to the original names. Only those that differ. */
  readonly names: ReadonlyMap<string, string>;
  /** Sent call ids, mapped to the original ids. Only those that differ; calls without an original id are not included. */
  readonly ids: ReadonlyMap<string, string>;
  /** The original of a name or id that was sent or returned; an unmapped one is returned unchanged. */
  readonly toOriginal: (word: string) => string;
}

export class NameMap {
  readonly names: Map<string, string> = new Map();
  readonly ids: Map<string, string> = new Map();
  readonly #wireNames = new Map<string, string>();
  readonly #takenNames = new Set<string>();
  readonly #takenIds = new Set<string>();
  #givenIds: (() => Iterable<string>) | undefined;
  readonly #rules: ProviderRules;

  constructor(rules: ProviderRules) {
    this.#rules = rules;
  }

  reserveName(name: string): void {
    if (this.isName(name)) this.#takenNames.add(name);
  }

  /** Reserves existing ids; they are read when the first id is generated. */
  reserveIds(read: () => Iterable<string>): void {
    this.#givenIds = read;
  }

  isName(name: string): boolean {
    const { pattern, maxLength } = this.#rules.toolName;
    return name !== '' && name.length <= maxLength && (pattern === undefined || pattern.test(name));
  }

  isId(id: string): boolean {
    const { pattern, maxLength, exactLength } = this.#rules.callId;
    return id !== '' && id.length <= (exactLength ?? maxLength) && (pattern === undefined || pattern.test(id));
  }

  nameFor(name: string): string {
    if (this.isName(name)) return name;
    const known = this.#wireNames.get(name);
    if (known !== undefined) return known;
    const made = this.generateName(name, name);
    this.#wireNames.set(name, made);
    return made;
  }

  /** Generates a unique name for a definition whose name is already taken or invalid. */
  generateName(name: string, salted: string): string {
    const room = Math.min(this.#rules.toolName.maxLength, 64) - 9;
    const folded = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, room);
    const starts = [/^[a-zA-Z_]/.test(folded) ? '' : '_', 'tool_'];
    const legible = starts.map((start) => (start + folded).slice(0, room)).find((start) => this.isName(start)) ?? 'tool';
    const made = draw(this.#takenNames, (salt) => `${legible}_${digest(salted + salt, 8)}`);
    this.names.set(made, name);
    return made;
  }

  /** Generates an id for a call, from its original id and occurrence, or from its position. */
  generateId(seed: string, prefix: string, original: string | undefined): string {
    const { exactLength, maxLength } = this.#rules.callId;
    if (this.#givenIds) for (const id of this.#givenIds()) this.#takenIds.add(id);
    this.#givenIds = undefined;
    const made = draw(this.#takenIds, (salt) =>
      exactLength === undefined
        ? `${prefix}${digest(seed + salt, Math.min(24, maxLength - prefix.length))}`
        : digest(seed + salt, exactLength),
    );
    if (original !== undefined) this.ids.set(made, original);
    return made;
  }

  mapping(): Mapping {
    const { names, ids } = this;
    return { names, ids, toOriginal: (word) => names.get(word) ?? ids.get(word) ?? word };
  }
}

function draw(taken: Set<string>, make: (salt: string) => string): string {
  let made = make('');
  for (let round = 1; taken.has(made); round += 1) made = make(`\u0000${round}`);
  taken.add(made);
  return made;
}
