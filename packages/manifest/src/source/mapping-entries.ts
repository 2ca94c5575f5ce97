/**
 * Owns the entries of a mapping: keys as text, duplicate keys, and merged mappings (`<<`). Does not own values (`reader.ts`).
 *
 * Invariant: for a duplicate key the first value counts, and the second is reported.
 */
import { type Node, type Pair, isMap, isNode, isScalar, isSeq } from 'yaml';
import { type PathStep, pathText } from '../problem.ts';
import { quote } from '../shape/describe.ts';
import { type Tree, spanOf } from './document.ts';
import type { SourceFile, Span } from './source-file.ts';

type Path = readonly PathStep[];

export type MappingNode = Node & { readonly items: readonly Pair[] };

export interface Entry {
  readonly key: string;
  readonly keyNode: Node;
  /** `null` if the key has no value. */
  readonly value: unknown;
}

/** Positions in the file, by path. */
export interface Spans {
  readonly values: Map<string, Span>;
  readonly keys: Map<string, Span>;
  /** Paths of mappings that have a key. */
  readonly owners: Set<string>;
}

export class MappingEntries {
  readonly #tree: Tree;
  readonly #source: SourceFile;
  readonly #spans: Spans;

  constructor(tree: Tree, source: SourceFile, spans: Spans) {
    this.#tree = tree;
    this.#source = source;
    this.#spans = spans;
  }

  /** The mapping's own entries. */
  ownEntries(node: MappingNode, path: Path): readonly Entry[] {
    const seen = new Map<string, Span>();
    return node.items.flatMap((pair): Entry[] => {
      const key = this.#keyOf(pair, path);
      if (key === undefined) return [];
      const keyNode = pair.key as Node;
      const first = seen.get(key);
      const at = spanOf(keyNode);
      if (first) {
        this.#source.report({
          code: 'duplicate_key',
          at,
          path: [...path, key],
          message: `${quote(key)} is set twice; first in line ${this.#source.lines.linePos(first[0]).line}`,
        });
        return [];
      }
      seen.set(key, at);
      this.#spans.keys.set(pathText([...path, key]), at);
      this.#spans.owners.add(pathText(path));
      return [{ key, keyNode, value: pair.value }];
    });
  }

  /** With the entries of `<<` that the mapping does not override. */
  mergeKeys(node: MappingNode, path: Path): readonly Entry[] {
    const own = this.ownEntries(node, path);
    const merge = own.find(({ key }) => key === '<<');
    if (!merge || !isNode(merge.value)) return own;
    const entries = own.filter((entry) => entry !== merge);
    const given = this.#tree.resolved(merge.value);
    const bases = (isSeq(given) ? given.items.filter(isNode).map((item) => this.#tree.resolved(item)) : [given]).filter(isMap);
    const known = new Set(entries.map(({ key }) => key));
    for (const base of bases) {
      for (const entry of this.mergeKeys(base as MappingNode, path)) {
        if (known.has(entry.key)) continue;
        known.add(entry.key);
        entries.push(entry);
      }
    }
    return entries;
  }

  /** Reports a key that is not a scalar and returns `undefined`. */
  #keyOf({ key }: Pair, path: Path): string | undefined {
    const node = isNode(key) ? this.#tree.resolved(key) : undefined;
    if (node && isScalar(node)) return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
    const at = isNode(key) ? spanOf(key) : ([0, 1] as const);
    this.#source.report({ code: 'wrong_type', at, path, message: 'a key must be a string' });
    return undefined;
  }
}
