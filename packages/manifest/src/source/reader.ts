/**
 * Owns the check of a YAML tree against a shape: the value in plain data on one hand, every mismatch as a problem with its position on the other.
 *
 * Invariants
 * 1. A value is returned only for what fits; what does not is reported and left out, so that one mistake is one problem.
 * 2. A substituted environment value never appears in a message.
 */
import { suggest } from '@holdfast/core/internal/plain';
import { type Node, type Pair, isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import { type PathStep, pathText } from '../problem.ts';
import { describeShape, describeValue, quote } from '../shape/describe.ts';
import { fits } from '../shape/convert.ts';
import type { RecordShape, Shape } from '../shape/shape.ts';
import { type Tree, spanOf } from './document.ts';
import type { Environment } from './environment.ts';
import { createScalarReader, nameOf } from './read-scalar.ts';
import { hintFor } from './scalars.ts';
import type { SourceFile, Span } from './source-file.ts';

export interface Reading {
  /** Plain data in the file's words; parts that do not fit are missing. */
  readonly value: unknown;
  /** Where a value stands, or the nearest enclosing one that is in the file. */
  at(...path: readonly PathStep[]): Span;
  /** Whether the file says something there, fitting or not. */
  has(...path: readonly PathStep[]): boolean;
  /** Whether the file has any key below there, known or not. */
  hasKeys(...path: readonly PathStep[]): boolean;
  /** Where the key of a value stands. */
  keyAt(...path: readonly PathStep[]): Span;
}

type Path = readonly PathStep[];

/** Reads the whole tree. Without `environment` texts are taken as they stand. */
export function read(tree: Tree, shape: Shape, source: SourceFile, environment?: Environment): Reading {
  const values = new Map<string, Span>();
  const keys = new Map<string, Span>();
  const owners = new Set<string>();
  const reader = createReader(tree, source, environment, { values, keys, owners });
  const value = reader(tree.root, shape, []);
  const nearest = (spans: ReadonlyMap<string, Span>, path: Path): Span => {
    for (let length = path.length; length >= 0; length -= 1) {
      const span = spans.get(pathText(path.slice(0, length))) ?? values.get(pathText(path.slice(0, length)));
      if (span) return span;
    }
    return [0, 1];
  };
  return {
    value,
    has: (...path) => values.has(pathText(path)),
    hasKeys: (...path) => owners.has(pathText(path)),
    at: (...path) => nearest(values, path),
    keyAt: (...path) => nearest(keys, path),
  };
}

interface Spans {
  readonly values: Map<string, Span>;
  readonly keys: Map<string, Span>;
  /** Paths of mappings that have a key. */
  readonly owners: Set<string>;
}

/** `expected` is what a message says where the shape is only one of several. */
type Read = (node: unknown, shape: Shape, path: Path, absent?: boolean, expected?: string) => unknown;

function createReader(tree: Tree, source: SourceFile, environment: Environment | undefined, spans: Spans): Read {
  const scalar = createScalarReader(source, environment);

  /** The entries of a mapping with their keys as text; a repeated key is reported and its second value ignored. */
  const entriesOf = (node: { readonly items: readonly Pair[] }, path: Path): [string, Pair, Node][] => {
    const seen = new Map<string, Span>();
    return node.items.flatMap((pair): [string, Pair, Node][] => {
      const keyNode = isNode(pair.key) ? tree.resolved(pair.key) : undefined;
      if (!keyNode || !isScalar(keyNode)) {
        const at = isNode(pair.key) ? spanOf(pair.key) : ([0, 1] as const);
        source.report({ code: 'wrong_type', at, path, message: 'a key must be a string' });
        return [];
      }
      const key = typeof keyNode.value === 'string' ? keyNode.value : (keyNode.source ?? String(keyNode.value));
      const first = seen.get(key);
      const at = spanOf(pair.key as Node);
      if (first) {
        source.report({
          code: 'duplicate_key',
          at,
          path: [...path, key],
          message: `${quote(key)} is given twice; first in line ${source.lines.linePos(first[0]).line}`,
        });
        return [];
      }
      seen.set(key, at);
      spans.keys.set(pathText([...path, key]), at);
      spans.owners.add(pathText(path));
      return [[key, pair, pair.key as Node]];
    });
  };

  /** Entries with those of `<<` put in where the mapping itself has none of that name. */
  const mergedEntries = (node: { readonly items: readonly Pair[] }, path: Path): [string, Pair, Node][] => {
    const own = entriesOf(node, path);
    const merge = own.find(([key]) => key === '<<');
    if (!merge || !isNode(merge[1].value)) return own;
    const rest = own.filter((entry) => entry !== merge);
    const given = tree.resolved(merge[1].value);
    const bases = (isSeq(given) ? given.items.filter(isNode).map((item) => tree.resolved(item)) : [given]).filter(isMap);
    const known = new Set(rest.map(([key]) => key));
    for (const base of bases) {
      for (const entry of mergedEntries(base as { readonly items: readonly Pair[] }, path)) {
        if (known.has(entry[0])) continue;
        known.add(entry[0]);
        rest.push(entry);
      }
    }
    return rest;
  };

  const record = (node: { readonly items: readonly Pair[] }, at: Span, shape: RecordShape, path: Path): Record<string, unknown> => {
    const value: Record<string, unknown> = {};
    const given = new Set<string>();
    for (const [key, pair, keyNode] of mergedEntries(node, path)) {
      const known = shape.fields.find((field) => field.key === key);
      if (!known) {
        const keys = shape.fields.map((field) => field.key);
        const where = path.length === 0 ? 'the file' : nameOf(path);
        source.report({
          code: 'unknown_key',
          at: spanOf(keyNode),
          path: [...path, key],
          message: `unknown key ${quote(key)} in ${where}`,
          allowed: () => keys.join(', '),
          suggestion: () => otherNamed(key, shape) ?? suggest(key, keys) ?? deeperKey(key, shape),
        });
        continue;
      }
      given.add(key);
      if (isNothing(pair.value, tree) && isCollectionShape(known.shape)) {
        spans.values.set(pathText([...path, key]), spanOf(keyNode));
        if (known.shape.kind === 'list' && known.shape.filled) {
          source.report({
            code: 'wrong_type',
            at: spanOf(keyNode),
            path: [...path, key],
            message: `${key} is empty`,
            allowed: 'at least one entry',
          });
        }
        value[key] = known.shape.kind === 'list' ? [] : {};
        continue;
      }
      const inner = reader(pair.value ?? keyNode, known.shape, [...path, key], pair.value === null);
      if (inner !== undefined) value[key] = inner;
    }
    for (const known of shape.fields) {
      if (!known.required || given.has(known.key)) continue;
      source.report({
        code: 'missing_key',
        at,
        path: [...path, known.key],
        message: `${path.length === 0 ? 'the file' : nameOf(path)} has no ${quote(known.key)}`,
        allowed: describeShape(known.shape),
      });
    }
    return value;
  };

  const mapping = (node: Node & { readonly items: readonly Pair[] }, shape: Shape, path: Path): unknown => {
    if (shape.kind === 'record') return record(node, spanOf(node), shape, path);
    const of: Shape = shape.kind === 'map' ? shape.of : { kind: 'anything' };
    const entries = entriesOf(node, path).map(([key, pair, keyNode]): [string, unknown] => [
      key,
      reader(pair.value ?? keyNode, of, [...path, key], pair.value === null),
    ]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  };

  const reader = (given: unknown, shape: Shape, path: Path, absent = false, expected = describeShape(shape)): unknown => {
    if (!isNode(given)) return undefined;
    spans.values.set(pathText(path), spanOf(given));
    const node = isAlias(given) ? tree.resolved(given) : given;
    const kind = absent ? null : isMap(node) ? {} : isSeq(node) ? node.items.slice(0, 1) : isScalar(node) ? node.value : undefined;
    const wrong = (): undefined => {
      source.report({
        code: 'wrong_type',
        at: spanOf(given),
        path,
        message: `${nameOf(path)} is ${describeValue(kind)}`,
        allowed: expected,
        suggestion: hintFor(kind, shape),
      });
    };
    if (absent) return fits(null, shape) ? null : wrong();
    if (shape.kind === 'either') {
      const option = shape.options.find((candidate) => fits(kind, candidate));
      return option ? reader(given, option, path, false, expected) : wrong();
    }
    if (shape.kind === 'list' && shape.single && !isSeq(node))
      return fits(kind, shape.of) ? [reader(given, shape.of, path, false, expected)].filter((entry) => entry !== undefined) : wrong();
    if (!isScalar(node) && !fits(kind, shape)) return wrong();
    if (isMap(node)) return mapping(node as Node & { readonly items: readonly Pair[] }, shape, path);
    if (isSeq(node)) {
      const of: Shape = shape.kind === 'list' ? shape.of : { kind: 'anything' };
      if (shape.kind === 'list' && shape.filled && node.items.length === 0) {
        source.report({
          code: 'wrong_type',
          at: spanOf(given),
          path,
          message: `${nameOf(path)} is an empty list`,
          allowed: 'at least one entry',
        });
      }
      // What did not fit stays as a hole, so that an index is the same here and in the file.
      return node.items.map((item, index) => reader(item, of, [...path, index]));
    }
    return isScalar(node) ? scalar(node, shape, path, expected) : undefined;
  };
  return reader;
}

const isNothing = (node: unknown, tree: Tree): boolean => {
  if (node === null || node === undefined) return true;
  const value = isNode(node) ? tree.resolved(node) : node;
  return isScalar(value) && value.value === null;
};

/** `defaults:` with all its keys commented out is an empty object, not a mistake. */
const isCollectionShape = (shape: Shape): boolean => shape.kind === 'record' || shape.kind === 'map' || shape.kind === 'list';

/** `policies` was meant for `recovery_rules`. */
function otherNamed(key: string, shape: RecordShape): string | undefined {
  return shape.fields.find(({ otherNames }) => otherNames?.includes(key))?.key;
}

/** `max_attempts` in a tool was meant for its `retry_policy`. */
function deeperKey(key: string, shape: RecordShape): string | undefined {
  for (const outer of shape.fields) {
    const options = outer.shape.kind === 'either' ? outer.shape.options : [outer.shape];
    for (const option of options) {
      if (option.kind === 'record' && option.fields.some((inner) => inner.key === key)) return `${outer.key}.${key}`;
    }
  }
  return undefined;
}
