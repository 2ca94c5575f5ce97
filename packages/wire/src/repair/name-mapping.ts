/**
 * Owns the two-way map between the ids and names as given and as sent.
 *
 * Invariants
 * 1. What is valid stays. What is not becomes a legible beginning (names) or a prefix (ids) and a hash of the whole: never a cut.
 * 2. Two words never become one: a hash that is taken is drawn again.
 * 3. The same words give the same map, in every process.
 */
import { digest } from '../hash.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';

/** Leads from what was sent back to what was given. */
export interface Mapping {
  /** Names as sent, with the names as given. Only those that differ. */
  readonly names: ReadonlyMap<string, string>;
  /** Call ids as sent, with the ids as given. Only those that differ; a call that had no id has none here. */
  readonly ids: ReadonlyMap<string, string>;
  /** The name or id as given, for one that was sent or came back; what is not mapped is itself. */
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

  /** Ids that are there already, read when the first one is made. */
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
    const made = this.madeName(name, name);
    this.#wireNames.set(name, made);
    return made;
  }

  /** A name of its own for a definition whose name is taken by a different one. */
  madeName(name: string, salted: string): string {
    const room = Math.min(this.#rules.toolName.maxLength, 64) - 9;
    const folded = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, room);
    const legible = /^[a-zA-Z_]/.test(folded) ? folded : `_${folded.slice(0, room - 1)}`;
    const made = draw(this.#takenNames, (salt) => `${legible}_${digest(salted + salt, 8)}`);
    this.names.set(made, name);
    return made;
  }

  /** An id for a call: of its id as given and which occurrence of it this is, or of its position. */
  madeId(seed: string, prefix: string, original: string | undefined): string {
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
