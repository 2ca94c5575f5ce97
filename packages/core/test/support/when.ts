/** A claim that is only made under a condition: `when(result.ok, () => expect(…))`. */
export function when(condition: boolean, claim: () => void): void {
  if (condition) claim();
}
