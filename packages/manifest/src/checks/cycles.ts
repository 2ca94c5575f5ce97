/** Owns the search for cycles in a graph of names. */

const maxCycles = 20;

/**
 * Returns every cycle once, from the member that comes first in `edges` back to it: `a, b, a`. At most 20. Of cycles that share members, those that a
 * depth-first search finds. Iterative, so that a long chain needs no deep stack.
 */
export function findCycles(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  for (const start of edges.keys()) {
    if (done.has(start)) continue;
    const trail: string[] = [start];
    const next: number[] = [0];
    const onTrail = new Map<string, number>([[start, 0]]);
    while (trail.length > 0 && cycles.length < maxCycles) {
      const depth = trail.length - 1;
      const name = trail[depth] ?? '';
      const target = edges.get(name)?.[next[depth] ?? 0];
      if (target === undefined) {
        done.add(name);
        onTrail.delete(name);
        trail.pop();
        next.pop();
        continue;
      }
      next[depth] = (next[depth] ?? 0) + 1;
      const back = onTrail.get(target);
      if (back !== undefined) cycles.push([...trail.slice(back), target]);
      else if (!done.has(target) && edges.has(target)) {
        onTrail.set(target, trail.length);
        trail.push(target);
        next.push(0);
      }
    }
  }
  return cycles;
}
