/**
 * Owns checking a YAML tree against a shape: returns the value as plain data, and reports every mismatch as a problem with its position.
 *
 * Invariants
 * 1. Only valid values are returned; others are reported and left out, so that one mistake is one problem.
 * 2. A substituted environment value never appears in a message.
 */
import { fieldNamedElsewhere, suggest } from '@holdfast/core/internal/plain';
import { isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import { type PathStep, pathText } from '../problem.ts';
import { describeShape, describeValue, quote } from '../shape/describe.ts';
import { fits } from '../shape/convert.ts';
import type { Field, RecordShape, Shape } from '../shape/shape.ts';
import { atOnce, type Steps, type Tree, spanOf } from './document.ts';
import type { Environment } from './environment.ts';
import { type Entry, MappingEntries, type MappingNode, type Spans } from './mapping-entries.ts';
import { nameOf, ScalarReader } from './read-scalar.ts';
import { hintFor } from './scalars.ts';
import type { SourceFile, Span } from './source-file.ts';

export interface Reading {
  /** Plain data in snake_case, without the invalid parts. */
  readonly value: unknown;
  /** The position of a value, or of the nearest enclosing one in the file. */
  at(...path: readonly PathStep[]): Span;
  /** Whether the file has a value there, valid or not. */
  has(...path: readonly PathStep[]): boolean;
  /** Whether the file has keys below, known or not. */
  hasKeys(...path: readonly PathStep[]): boolean;
  /** The position of the key of a value. */
  keyAt(...path: readonly PathStep[]): Span;
}

type Path = readonly PathStep[];

/** Reads the tree. Without `environment` nothing is substituted. */
export const read = (tree: Tree, shape: Shape, source: SourceFile, environment?: Environment): Reading =>
  atOnce(readInSteps(tree, shape, source, environment));

export function* readInSteps(tree: Tree, shape: Shape, source: SourceFile, environment?: Environment): Steps<Reading> {
  const spans: Spans = { values: new Map(), keys: new Map(), owners: new Set() };
  const { values, keys, owners } = spans;
  const value = yield* new Reader(tree, source, environment, spans).read(tree.root, shape, []);
  const nearestSpan = (spans: ReadonlyMap<string, Span>, path: Path): Span => {
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
    at: (...path) => nearestSpan(values, path),
    keyAt: (...path) => nearestSpan(keys, path),
  };
}

const nodesInStep = 200;

/** Reads nodes against shapes, and records the position of each value. */
class Reader {
  readonly #tree: Tree;
  readonly #source: SourceFile;
  readonly #spans: Spans;
  readonly #entries: MappingEntries;
  readonly #scalars: ScalarReader;
  #nodes = 0;

  constructor(tree: Tree, source: SourceFile, environment: Environment | undefined, spans: Spans) {
    this.#tree = tree;
    this.#source = source;
    this.#spans = spans;
    this.#entries = new MappingEntries(tree, source, spans);
    this.#scalars = new ScalarReader(source, environment);
  }

  /** `expected` describes the allowed values if the shape is one of several. */
  *read(given: unknown, shape: Shape, path: Path, absent = false, expected = describeShape(shape)): Steps<unknown> {
    if (!isNode(given)) return undefined;
    this.#nodes += 1;
    if (this.#nodes % nodesInStep === 0) yield;
    this.#spans.values.set(pathText(path), spanOf(given));
    const node = isAlias(given) ? this.#tree.resolved(given) : given;
    const kind = absent ? null : isMap(node) ? {} : isSeq(node) ? node.items.slice(0, 1) : isScalar(node) ? node.value : undefined;
    const reportWrongType = (): undefined => {
      this.#source.report({
        code: 'wrong_type',
        at: spanOf(given),
        path,
        message: `${nameOf(path)} is ${describeValue(kind)}`,
        allowed: expected,
        suggestion: hintFor(kind, shape),
      });
    };
    if (absent) return fits(null, shape) ? null : reportWrongType();
    if (shape.kind === 'either') {
      const option = shape.options.find((candidate) => fits(kind, candidate));
      return option ? yield* this.read(given, option, path, false, expected) : reportWrongType();
    }
    if (shape.kind === 'list' && shape.single && !isSeq(node)) {
      if (!fits(kind, shape.of)) return reportWrongType();
      const entry = yield* this.read(given, shape.of, path, false, expected);
      return entry === undefined ? [] : [entry];
    }
    if (!isScalar(node) && !fits(kind, shape)) return reportWrongType();
    if (isMap(node)) return yield* this.#mapping(node as MappingNode, shape, path);
    if (isSeq(node)) return yield* this.#list(node.items, spanOf(given), shape, path);
    return isScalar(node) ? this.#scalars.read(node, shape, path, expected) : undefined;
  }

  *#list(items: readonly unknown[], at: Span, shape: Shape, path: Path): Steps<readonly unknown[]> {
    const of: Shape = shape.kind === 'list' ? shape.of : { kind: 'anything' };
    if (shape.kind === 'list' && shape.filled && items.length === 0) this.#reportEmpty(`${nameOf(path)} is an empty list`, at, path);
    // An invalid entry stays as a hole, so that the indexes match the file.
    const entries: unknown[] = [];
    for (const [index, item] of items.entries()) entries.push(yield* this.read(item, of, [...path, index]));
    return entries;
  }

  *#mapping(node: MappingNode, shape: Shape, path: Path): Steps<unknown> {
    if (shape.kind === 'record') return yield* this.#record(node, shape, path);
    const of: Shape = shape.kind === 'map' ? shape.of : { kind: 'anything' };
    const entries: [string, unknown][] = [];
    for (const { key, keyNode, value } of this.#entries.ownEntries(node, path)) {
      const inner = yield* this.read(value ?? keyNode, of, [...path, key], value === null);
      if (inner !== undefined) entries.push([key, inner]);
    }
    return Object.fromEntries(entries);
  }

  *#record(node: MappingNode, shape: RecordShape, path: Path): Steps<Record<string, unknown>> {
    const value: Record<string, unknown> = {};
    const given = new Set<string>();
    for (const entry of this.#entries.mergeKeys(node, path)) {
      const known = shape.fields.find(({ key, alias }) => key === entry.key || alias === entry.key);
      if (!known) {
        this.#reportUnknown(entry, shape, path);
        continue;
      }
      if (given.has(known.key)) {
        this.#reportBothNames(entry, known, path);
        continue;
      }
      given.add(known.key);
      const inner = yield* this.#field(entry, known.shape, [...path, known.key]);
      if (inner !== undefined) value[known.key] = inner;
    }
    for (const known of shape.fields) {
      if (!known.required || given.has(known.key)) continue;
      this.#source.report({
        code: 'missing_key',
        at: spanOf(node),
        path: [...path, known.key],
        message: `${path.length === 0 ? 'the file' : nameOf(path)} has no ${quote(known.key)}`,
        allowed: describeShape(known.shape),
      });
    }
    return value;
  }

  *#field({ key, keyNode, value }: Entry, shape: Shape, path: Path): Steps<unknown> {
    if (!isNothing(value, this.#tree) || !isCollectionShape(shape)) return yield* this.read(value ?? keyNode, shape, path, value === null);
    this.#spans.values.set(pathText(path), spanOf(keyNode));
    if (shape.kind === 'list' && shape.filled) this.#reportEmpty(`${key} is empty`, spanOf(keyNode), path);
    return shape.kind === 'list' ? [] : {};
  }

  #reportEmpty(message: string, at: Span, path: Path): void {
    this.#source.report({ code: 'wrong_type', at, path, message, allowed: 'at least one entry' });
  }

  #reportBothNames({ key, keyNode }: Entry, { key: name, alias }: Field, path: Path): void {
    this.#source.report({
      code: 'duplicate_key',
      at: spanOf(keyNode),
      path: [...path, key],
      message: `${quote(name)} and ${quote(alias ?? '')} are names of the same setting: use only one`,
    });
  }

  #reportUnknown({ key, keyNode }: Entry, shape: RecordShape, path: Path): void {
    const keys = shape.fields.map((field) => field.key);
    const unknown = `unknown key ${quote(key)} in ${path.length === 0 ? 'the file' : nameOf(path)}`;
    const foreign = shape.foreign && Object.hasOwn(shape.foreign, key) ? shape.foreign[key] : undefined;
    if (foreign !== undefined)
      return this.#source.report({ code: 'unknown_key', at: spanOf(keyNode), path: [...path, key], message: `${unknown}: ${foreign}` });
    this.#source.report({
      code: 'unknown_key',
      at: spanOf(keyNode),
      path: [...path, key],
      message: unknown,
      allowed: () => keys.join(', '),
      suggestion: () => otherNamed(key, shape) ?? suggest(key, keys) ?? nearlyOtherNamed(key, shape) ?? deeperKey(key, shape),
    });
  }
}

const isNothing = (node: unknown, tree: Tree): boolean => {
  if (node === null || node === undefined) return true;
  const value = isNode(node) ? tree.resolved(node) : node;
  return isScalar(value) && value.value === null;
};

/** `defaults:` with all its keys commented out is an empty object, not a mistake. */
const isCollectionShape = (shape: Shape): boolean => shape.kind === 'record' || shape.kind === 'map' || shape.kind === 'list';

/** The key of a name that people use for it: `policies` means `recovery_rules`, `breaker` (as in code) `circuit_breaker`, and `resetTimeout` `open_ms`. */
function otherNamed(name: string | undefined, { fields }: RecordShape): string | undefined {
  if (name === undefined) return undefined;
  const property = fieldNamedElsewhere(
    name,
    fields.map((field) => field.property),
  );
  return fields.find((field) => field.otherNames?.includes(name) || field.property === name || field.property === property)?.key;
}

/** The same for a misspelt name: `argz` means `arguments`, by way of `args`. */
function nearlyOtherNamed(key: string, shape: RecordShape): string | undefined {
  const names = shape.fields.flatMap(({ otherNames = [] }) => otherNames);
  return otherNamed(suggest(key, names), shape);
}

/** Suggests `retry_policy.max_attempts` for `max_attempts`, or `maxRetries`, in a tool. */
function deeperKey(key: string, shape: RecordShape): string | undefined {
  for (const outer of shape.fields) {
    const options = outer.shape.kind === 'either' ? outer.shape.options : [outer.shape];
    for (const option of options) {
      if (option.kind !== 'record') continue;
      const inner = option.fields.find((field) => field.key === key)?.key ?? otherNamed(key, option);
      if (inner !== undefined) return `${outer.key}.${inner}`;
    }
  }
  return undefined;
}
