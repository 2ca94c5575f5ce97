/**
 * Owns converting a schema of an OpenAPI document to a self-contained JSON Schema, with `$defs` for its references.
 *
 * Invariants
 * 1. Cycles stay references, so that the result is finite.
 * 2. Number of nodes and depth are limited; parts beyond the limit are open (`{}`). Then restrictive keywords are removed, since with an open part they could
 *    refuse valid values.
 * 3. Keywords without meaning for arguments (`discriminator`, `xml`, examples, extensions) are left out.
 */
import type { JsonSchema } from '@holdfast/core';
import { isRecord } from '@holdfast/core/internal/plain';
import type { OpenapiDocument, Plain } from './document.ts';
import { follow, lastStep, pointedAt } from './reference.ts';

/** Whether values are sent to the server or come from it: properties of only the other direction are left out. */
export type Direction = 'input' | 'output';

export interface SchemaWriter {
  write(schema: unknown): JsonSchema;
  /** The definitions that the written schemas refer to. Call it last. */
  definitions(): Readonly<Record<string, JsonSchema>>;
  /** Whether a part is open. */
  isCut(): boolean;
}

/** Limits of a definition for a model: more is not worth its tokens. */
const maxNodes = 600;
const deepest = 40;
/** Depth of references from an argument. */
const farthest = 5;

const copied: ReadonlySet<string> = new Set([
  'title',
  'description',
  'type',
  'format',
  'enum',
  'const',
  'default',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
  'required',
  'dependentRequired',
  'contentMediaType',
  'contentEncoding',
  'deprecated',
]);
const one: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const many: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);

/** Runs `make` with a writer, and again with a less restrictive one if a part is open. */
export function withWriter<Output>(document: OpenapiDocument, direction: Direction, make: (writer: SchemaWriter) => Output): Output {
  const writer = new BoundedWriter(document, direction, false);
  const made = make(writer);
  return writer.isCut() ? make(new BoundedWriter(document, direction, true)) : made;
}

/** Keywords that are too strict with an open part. */
const forbidding: ReadonlySet<string> = new Set(['not', 'if', 'then', 'else', 'unevaluatedItems', 'unevaluatedProperties', 'maxContains']);

class BoundedWriter implements SchemaWriter {
  readonly #document: OpenapiDocument;
  /** The keyword of properties of only the other direction. */
  readonly #hidden: 'readOnly' | 'writeOnly';
  readonly #isLoose: boolean;
  readonly #names = new DefinitionNames();
  readonly #queue: { readonly reference: string; readonly distance: number }[] = [];
  #distance = 0;
  #nodes = 0;
  #cuts = 0;

  constructor(document: OpenapiDocument, direction: Direction, isLoose: boolean) {
    this.#document = document;
    this.#hidden = direction === 'input' ? 'readOnly' : 'writeOnly';
    this.#isLoose = isLoose;
  }

  write(schema: unknown, depth = 0): JsonSchema {
    if (typeof schema === 'boolean') return schema ? {} : { not: {} };
    if (!isRecord(schema)) return {};
    if (depth > deepest || ++this.#nodes > maxNodes) {
      this.#cuts++;
      return {};
    }
    const reference = schema['$ref'];
    return typeof reference === 'string' ? this.#referring(reference, schema, depth) : modernize(this.#keywords(schema, depth), schema);
  }

  definitions(): Readonly<Record<string, JsonSchema>> {
    const definitions: [string, JsonSchema][] = [];
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#distance = next.distance;
      definitions.push([this.#names.of(next.reference), this.write(pointedAt(this.#document.root, next.reference))]);
    }
    return Object.fromEntries(definitions);
  }

  isCut(): boolean {
    return this.#cuts > 0;
  }

  /** Siblings of a reference count since 3.1. */
  #referring(reference: string, schema: Plain, depth: number): JsonSchema {
    const { root, version } = this.#document;
    const target = pointedAt(root, reference);
    const isNew = !this.#names.has(reference);
    if (target === undefined || (isNew && (this.#distance >= farthest || this.#nodes >= maxNodes))) {
      this.#cuts++;
      return kindOf(target);
    }
    const beside = version === '3.0' ? {} : this.#keywords(schema, depth);
    if (typeof target === 'boolean') return { ...beside, ...this.write(target) };
    if (!this.#names.has(reference)) this.#queue.push({ reference, distance: this.#distance + 1 });
    return { $ref: `#/$defs/${this.#names.of(reference)}`, ...beside };
  }

  #keywords(schema: Plain, depth: number): JsonSchema {
    const written: [string, unknown][] = [];
    for (const [given, value] of Object.entries(schema)) {
      const key = this.#isLoose && given === 'oneOf' && schema['anyOf'] === undefined ? 'anyOf' : given;
      if (this.#isLoose && (forbidding.has(key) || key === 'oneOf')) continue;
      if (copied.has(key)) written.push(...(isSound(key, value) ? [[key, value] as [string, unknown]] : []));
      else if (one.has(key)) written.push([key, typeof value === 'boolean' ? value : this.write(value, depth + 1)]);
      else if (many.has(key) && Array.isArray(value) && value.length > 0)
        written.push([key, value.map((each) => this.write(each, depth + 1))]);
      else if (named.has(key) && isRecord(value)) written.push([key, this.#properties(key, value, depth)]);
    }
    const { required, ...result } = Object.fromEntries(written);
    const names = Array.isArray(required) ? this.#requiredNames(required, schema['properties']) : [];
    return names.length === 0 ? result : { ...result, required: names };
  }

  #properties(key: string, given: Plain, depth: number): JsonSchema {
    const shown = Object.entries(given).filter(([name, schema]) =>
      key === 'properties' ? !this.#isHidden(schema) : key !== 'patternProperties' || isSound('pattern', name),
    );
    return Object.fromEntries(shown.map(([name, schema]) => [name, this.write(schema, depth + 1)]));
  }

  #requiredNames(required: readonly unknown[], given: unknown): readonly unknown[] {
    return required.filter(
      (name) => typeof name === 'string' && !(isRecord(given) && Object.hasOwn(given, name) && this.#isHidden(given[name])),
    );
  }

  #isHidden(schema: unknown): boolean {
    return follow(this.#document.root, schema)?.[this.#hidden] === true;
  }
}

/** Gives each reference a unique name in `$defs`, from its last segment. */
class DefinitionNames {
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();

  has(reference: string): boolean {
    return this.#names.has(reference);
  }

  of(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const wished = lastStep(reference).replaceAll(/[^A-Za-z0-9_.-]+/g, '_') || 'schema';
    let name = wished;
    for (let number = 2; this.#taken.has(name); number++) name = `${wished}_${number}`;
    this.#taken.add(name);
    this.#names.set(reference, name);
    return name;
  }
}

/** Beyond the limit only the type is written. */
const kindOf = (target: unknown): JsonSchema => {
  const type = isRecord(target) ? target['type'] : undefined;
  return isRecord(target) && target['nullable'] !== true && type !== undefined && isSound('type', type) ? { type } : {};
};

const types: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** Values that validators refuse are left out, so that the rest is checked. */
function isSound(key: string, value: unknown): boolean {
  if (key === 'type') return Array.isArray(value) ? value.length > 0 && value.every((type) => types.has(type)) : types.has(value);
  if (key === 'enum') return Array.isArray(value) && value.length > 0;
  if (key === 'required') return Array.isArray(value);
  if (key === 'title' || key === 'description' || key === 'format') return typeof value === 'string';
  if (key === 'multipleOf') return typeof value === 'number' && value > 0;
  if (/^(?:min|max)[LIPC]/.test(key)) return Number.isInteger(value) && (value as number) >= 0;
  if (key === 'minimum' || key === 'maximum') return Number.isFinite(value);
  if (key === 'exclusiveMinimum' || key === 'exclusiveMaximum') return typeof value === 'boolean' || Number.isFinite(value);
  if (key === 'dependentRequired') return isRecord(value) && Object.values(value).every(isNames);
  if (key === 'uniqueItems' || key === 'deprecated') return typeof value === 'boolean';
  if (key !== 'pattern') return true;
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string');

/** The keywords of 3.0 as JSON Schema. Documents of 3.1 use them too. */
function modernize(schema: JsonSchema, given: Plain): JsonSchema {
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = schema;
  const bounds: [string, unknown][] = [];
  const addBound = (limit: unknown, exclusive: unknown, name: string, exclusiveName: string): void => {
    if (typeof exclusive === 'number') bounds.push([exclusiveName, exclusive]);
    if (limit !== undefined) bounds.push([exclusive === true ? exclusiveName : name, limit]);
  };
  addBound(minimum, exclusiveMinimum, 'minimum', 'exclusiveMinimum');
  addBound(maximum, exclusiveMaximum, 'maximum', 'exclusiveMaximum');
  const modern: JsonSchema = { ...rest, ...Object.fromEntries(bounds) };
  return given['nullable'] === true ? nullable(modern) : modern;
}

function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return Object.keys(schema).length === 0 ? {} : { anyOf: [schema, { type: 'null' }] };
  const allowed = Array.isArray(values) && !values.includes(null) ? { enum: [...(values as readonly unknown[]), null] } : {};
  return { ...schema, type: [type, 'null'], ...allowed };
}
