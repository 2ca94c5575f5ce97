/** Owns reading the version of a Claude model from its name. */

/** Version of a Claude model as major.minor with two digits, so that 4.10 is later than 4.6. */
export function claudeSince(model: string, version: number): boolean {
  const found = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/i.exec(model);
  if (!found) return false;
  return Number(found[1]) + Number(found[2] ?? 0) / 100 >= version - 1e-9;
}
