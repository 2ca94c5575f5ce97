/** Conditional assertions: `when(result.ok, () => expect(…))`. */
export function when(condition: boolean, claim: () => void): void {
  if (condition) claim();
}
