/**
 * Owns checking a value against a schema: one visit of a value by a schema, references, and the keywords that combine schemas.
 * Objects, lists and scalars have files of their own.
 *
 * Invariants
 * 1. The work is bounded by a budget, whatever schema and value. Beyond it, an error is thrown.
 * 2. What cannot be checked counts as valid, also where a condition, `not` or a number of matches depends on it.
 */
import type { JsonObject } from '../../json.ts';
import { type Budget, spend } from './budget.ts';
import { checkList } from './lists.ts';
import { checkObject } from './objects.ts';
import { checkAllowed, checkNumber, checkString, checkType, kindOf } from './scalars.ts';
import { encodeStep, type Frame, type SchemaUnit, type Seen, type Walk, type WalkedSchema } from './walk.ts';

/** Further mismatches add no information. */
export const maxUnits = 250;
const maxLoops = 120;
const maxDepth = 600;

export class Walker implements Walk {
  readonly units: SchemaUnit[] = [];
  /** Why something could not be checked. */
  readonly skipped: Set<string> = new Set();
  /** The number of times that something could not be checked. */
  skips = 0;
  /** Whether a schema was found to refer to itself without an end. */
  loops = false;

  readonly schema: WalkedSchema;
  readonly budget: Budget;
  /** Whether the first mismatch ends the check. */
  readonly isQuick: boolean;

  constructor(schema: WalkedSchema, budget: Budget, isQuick = false) {
    this.schema = schema;
    this.budget = budget;
    this.isQuick = isQuick;
  }

  start(value: unknown, part: unknown): boolean {
    return this.visit(value, part, { at: '#', by: '#', loops: 0, depth: 0, anchor: undefined, seen: this.newSeen() });
  }

  fail(keyword: string, { at, by }: Frame, error: string, index: number = this.units.length): false {
    if (!this.isQuick && this.units.length < maxUnits)
      this.units.splice(index, 0, { keyword, keywordLocation: `${by}/${keyword}`, instanceLocation: at, error });
    return false;
  }

  newSeen(): Seen | undefined {
    return this.schema.tracks ? new Set() : undefined;
  }

  /** Notes that something is not checked. */
  skip(reason: string): undefined {
    this.skips += 1;
    if (this.skipped.size < 5) this.skipped.add(reason);
  }

  /** Whether a string matches; `undefined` if the pattern must not be tried on it. */
  matches(source: string, text: string): boolean | undefined {
    spend(this.budget, 4);
    const pattern = this.schema.patterns(source);
    const steps = pattern?.steps(text) ?? Infinity;
    if (!pattern || steps === Infinity) return this.skip(`the pattern ${shorten(source)} could take long and is not tried on every string`);
    spend(this.budget, steps);
    return pattern.test(text);
  }

  /** Checks what is inside a value. */
  inside(value: unknown, part: unknown, frame: Frame, step: string | number, by: string): boolean {
    const at = `${frame.at}/${typeof step === 'number' ? step : encodeStep(step)}`;
    return this.visit(value, part, { at, by, loops: 0, depth: frame.depth + 1, anchor: frame.anchor, seen: this.newSeen() });
  }

  /** Checks the same value by another schema. */
  same(value: unknown, part: unknown, frame: Frame, by: string, seen: Seen | undefined = frame.seen): boolean {
    const { at, loops, depth, anchor } = frame;
    return this.visit(value, part, { at, by, loops: loops + 1, depth, anchor, seen });
  }

  visit(value: unknown, part: unknown, given: Frame): boolean {
    // A set of what was seen is created for each visit.
    spend(this.budget, this.schema.tracks ? 12 : 4);
    if (part === true) return true;
    if (part === false) {
      this.fail('false', given, 'False boolean schema.');
      return false;
    }
    if (given.loops > maxLoops || given.depth > maxDepth) {
      this.loops ||= given.loops > maxLoops;
      this.skip(
        given.loops > maxLoops ? 'a reference of the schema leads back to itself' : `more than ${maxDepth} values are inside each other`,
      );
      return true;
    }
    const kind = kindOf(value);
    if (!kinds.has(kind)) throw new TypeError(`Instances of "${kind}" type are not supported.`);
    const schema = part as JsonObject;
    const frame = given.anchor === undefined && schema['$recursiveAnchor'] === true ? { ...given, anchor: schema } : given;
    if (schema['$ref'] !== undefined && this.schema.isOld) return this.#reference(value, schema, frame);
    let isValid = this.references(value, schema, frame);
    if (!checkType(this, value, kind, schema, frame)) isValid = false;
    if (!isValid && this.isQuick) return false;
    for (const check of checks) {
      if (check(this, value, schema, frame)) continue;
      isValid = false;
      if (this.isQuick) return false;
    }
    return this.#checkInside(value, kind, schema, frame) && isValid;
  }

  #checkInside(value: unknown, kind: string, schema: JsonObject, frame: Frame): boolean {
    if (kind === 'object') return checkObject(this, value as JsonObject, schema, frame);
    if (kind === 'array') return checkList(this, value as readonly unknown[], schema, frame);
    if (kind === 'number') return checkNumber(this, value as number, schema, frame);
    return kind !== 'string' || checkString(this, value as string, schema, frame);
  }

  /** Follows `$ref` and `$recursiveRef`. */
  references(value: unknown, schema: JsonObject, frame: Frame): boolean {
    const { $ref, $recursiveRef } = schema;
    const isValid = $ref === undefined || this.#reference(value, schema, frame);
    if ($recursiveRef !== '#') return isValid;
    const target = frame.anchor ?? this.schema.lookup[String(schema['__absolute_recursive_ref__'])];
    return this.#target(value, target, frame, '$recursiveRef') && isValid;
  }

  #reference(value: unknown, schema: JsonObject, frame: Frame): boolean {
    const { $ref, __absolute_ref__: address } = schema;
    return this.#target(value, this.schema.lookup[String(address ?? $ref)], frame, '$ref');
  }

  #target(value: unknown, target: unknown, frame: Frame, keyword: string): boolean {
    if (target === undefined) {
      this.skip(`a ${keyword} leads nowhere`);
      return true;
    }
    const index = this.units.length;
    return this.same(value, target, frame, `${frame.by}/${keyword}`) || this.fail(keyword, frame, 'A subschema had errors.', index);
  }
}

const kinds: ReadonlySet<string> = new Set(['null', 'array', 'object', 'string', 'number', 'boolean']);

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

function checkNot(walker: Walk, value: unknown, schema: JsonObject, frame: Frame): boolean {
  if (schema['not'] === undefined) return true;
  const { skips, units } = walker;
  const before = units.length;
  const matched = walker.same(value, schema['not'], frame, `${frame.by}/not`, walker.newSeen());
  units.length = before;
  return !matched || walker.skips > skips || walker.fail('not', frame, 'Instance matched "not" schema.');
}

function checkBranches(walker: Walk, value: unknown, schema: JsonObject, frame: Frame): boolean {
  let isValid = true;
  const seen: Seen[] = [];
  for (const keyword of ['anyOf', 'allOf', 'oneOf']) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    const { skips, units } = walker;
    const before = units.length;
    let matched = 0;
    for (const [index, branch] of branches.entries()) {
      const own = frame.seen && new Set(frame.seen);
      spend(walker.budget, own?.size ?? 0);
      if (walker.same(value, branch, frame, `${frame.by}/${keyword}/${index}`, own)) {
        matched += 1;
        if (own) seen.push(own);
      } else if (walker.isQuick && keyword === 'allOf') return false;
    }
    const isMatch =
      keyword === 'anyOf' ? matched > 0 : keyword === 'allOf' ? matched === branches.length : isOne(matched, walker.skips > skips);
    if (isMatch) units.length = before;
    else isValid = walker.fail(keyword, frame, branchErrors[keyword] ?? '', before);
  }
  for (const each of seen) for (const name of each) frame.seen?.add(name);
  return isValid;
}

/** Of branches that could not be checked, any number may match. */
const isOne = (matched: number, isUncertain: boolean): boolean => matched === 1 || (isUncertain && matched > 0);

const branchErrors: Readonly<Record<string, string>> = {
  anyOf: 'Instance does not match any subschemas.',
  allOf: 'Instance does not match every subschema.',
  oneOf: 'Instance does not match exactly one subschema.',
};

function checkCondition(walker: Walk, value: unknown, schema: JsonObject, frame: Frame): boolean {
  if (schema['if'] === undefined) return true;
  const { skips, units } = walker;
  const before = units.length;
  const own = walker.newSeen();
  const isMet = walker.same(value, schema['if'], frame, `${frame.by}/if`, own);
  units.length = before;
  if (walker.skips > skips) return true;
  if (isMet) for (const name of own ?? []) frame.seen?.add(name);
  const keyword = isMet ? 'then' : 'else';
  if (schema[keyword] === undefined || walker.same(value, schema[keyword], frame, `${frame.by}/${keyword}`)) return true;
  return walker.fail('if', frame, `Instance does not match "${keyword}" schema.`, before);
}

const checks: readonly ((walker: Walk, value: unknown, schema: JsonObject, frame: Frame) => boolean)[] = [
  checkAllowed,
  checkNot,
  checkBranches,
  checkCondition,
];
