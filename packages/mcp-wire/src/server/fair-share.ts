/**
 * Owns how a limited number of slots is shared by principals.
 *
 * Invariants
 * 1. No more slots are taken than the limit.
 * 2. A named principal that has one takes at most four times as many as it leaves free, so that there is one for another principal.
 */
export class FairShare {
  readonly #limit: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many are in use. */
  get total(): number {
    return this.#total;
  }

  /** Whether the principal may take a slot. Callers without a name are one client: the limit is theirs. */
  admits(principal: string | undefined): boolean {
    const left = this.#limit - this.#total - 1;
    if (left < 0) return false;
    const held = this.held(principal);
    return principal === undefined || held === 0 || held < 4 * left;
  }

  /** How many this principal has. */
  held(principal: string | undefined): number {
    return this.#held.get(keyOf(principal)) ?? 0;
  }

  /** The principal has one more. */
  take(principal: string | undefined): void {
    this.#total += 1;
    this.#held.set(keyOf(principal), this.held(principal) + 1);
  }

  /** The principal has one fewer. */
  release(principal: string | undefined): void {
    const left = this.held(principal) - 1;
    this.#total -= 1;
    if (left > 0) this.#held.set(keyOf(principal), left);
    else this.#held.delete(keyOf(principal));
  }
}

const keyOf = (principal: string | undefined): string => (principal === undefined ? '' : `=${principal}`);
