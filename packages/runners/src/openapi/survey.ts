/** Owns the look over a whole tree: whether it is bounded, and which of its references lead outside. */
import { isObject } from '@holdfast/core/internal/plain';

const deepest = 200;
const mostNodes = 2_000_000;

export interface Survey {
  /** Why the tree is not to be used. */
  readonly flaw?: string;
  /** References that do not begin with `#`. */
  readonly outside: readonly string[];
}

/** Where what looks like a reference is somebody's data, and nothing that is used here. */
const samples: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);

interface Place {
  readonly node: object;
  readonly isSample: boolean;
}

/** Each object once, whatever the ways to it: a YAML file may lead in circles. */
export function surveyed(root: unknown): Survey {
  const outside = new Set<string>();
  const seen = new Set<object>();
  let level: Place[] = isObject(root) ? [{ node: root, isSample: false }] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return { flaw: `it is more than ${deepest} levels deep`, outside: [] };
    const next: Place[] = [];
    for (const { node, isSample } of level) {
      if (seen.has(node)) continue;
      seen.add(node);
      if (seen.size > mostNodes) return { flaw: `it has more than ${mostNodes} nodes`, outside: [] };
      const reference: unknown = Array.isArray(node) ? undefined : (node as { readonly $ref?: unknown }).$ref;
      if (!isSample && typeof reference === 'string' && !reference.startsWith('#')) outside.add(reference);
      for (const [key, value] of Object.entries(node))
        if (isObject(value)) next.push({ node: value, isSample: isSample || samples.has(key) || key.startsWith('x-') });
    }
    level = next;
  }
  return { outside: [...outside] };
}
