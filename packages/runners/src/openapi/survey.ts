/** Owns checking a tree: its limits, and its references to the outside. */
import { isObject } from '@holdfast/core/internal/plain';

const deepest = 200;
const maxNodes = 2_000_000;

export interface Survey {
  /** Why the tree cannot be used. */
  readonly flaw?: string;
  /** References that do not begin with `#`. */
  readonly outside: readonly string[];
}

/** Keywords whose values are data, also if they look like references. */
const samples: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);

interface Place {
  readonly node: object;
  readonly isSample: boolean;
}

/** Visits each object once: a YAML file may have cycles. */
export function survey(root: unknown): Survey {
  const outside = new Set<string>();
  const seen = new Set<object>();
  let level: Place[] = isObject(root) ? [{ node: root, isSample: false }] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return { flaw: `it is more than ${deepest} levels deep`, outside: [] };
    const next: Place[] = [];
    for (const { node, isSample } of level) {
      if (seen.has(node)) continue;
      seen.add(node);
      if (seen.size > maxNodes) return { flaw: `it has more than ${maxNodes} nodes`, outside: [] };
      const reference: unknown = Array.isArray(node) ? undefined : (node as { readonly $ref?: unknown }).$ref;
      if (!isSample && typeof reference === 'string' && !reference.startsWith('#')) outside.add(reference);
      for (const [key, value] of Object.entries(node))
        if (isObject(value)) next.push({ node: value, isSample: isSample || samples.has(key) || key.startsWith('x-') });
    }
    level = next;
  }
  return { outside: [...outside] };
}
