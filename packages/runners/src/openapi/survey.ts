/** Owns the look over a whole tree: whether it is bounded, and which of its references lead outside. */

const deepest = 200;
const mostNodes = 2_000_000;

export interface Survey {
  /** Why the tree is not to be used. */
  readonly flaw?: string;
  /** References that do not begin with `#`. */
  readonly outside: readonly string[];
}

/** Each object once, whatever the ways to it: a YAML file may lead in circles. */
export function surveyed(root: unknown): Survey {
  const outside = new Set<string>();
  const seen = new Set<object>();
  let level: object[] = isObject(root) ? [root] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return { flaw: `it is more than ${deepest} levels deep`, outside: [] };
    const next: object[] = [];
    for (const node of level) {
      if (seen.has(node)) continue;
      seen.add(node);
      const reference: unknown = Array.isArray(node) ? undefined : (node as { readonly $ref?: unknown }).$ref;
      if (typeof reference === 'string' && !reference.startsWith('#')) outside.add(reference);
      for (const value of Object.values(node)) if (isObject(value)) next.push(value);
      if (seen.size > mostNodes) return { flaw: `it has more than ${mostNodes} nodes`, outside: [] };
    }
    level = next;
  }
  return { outside: [...outside] };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
