/** Owns the keywords for objects. */
import type { JsonObject } from '../../json.ts';
import { spend } from './budget.ts';
import { encodeStep, type Frame, type Walk } from './walk.ts';

export function checkObject(walker: Walk, value: JsonObject, schema: JsonObject, frame: Frame): boolean {
  // Most objects are looked at by the names of the schema.
  const names = namesMatter.some((keyword) => schema[keyword] !== undefined) ? Object.keys(value) : [];
  spend(walker.budget, 1 + names.length);
  let isValid = checkNames(walker, value, names, schema, frame);
  if (!checkDependencies(walker, value, schema, frame)) isValid = false;
  if (!isValid && walker.isQuick) return false;
  return checkProperties(walker, value, names, schema, frame) && isValid;
}

const namesMatter = [
  'minProperties',
  'maxProperties',
  'propertyNames',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
];

const records = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function checkNames(walker: Walk, value: JsonObject, names: readonly string[], schema: JsonObject, frame: Frame): boolean {
  const { required, minProperties, maxProperties, propertyNames } = schema as Readonly<Record<string, unknown>>;
  let isValid = true;
  spend(walker.budget, list(required).length);
  for (const name of list(required))
    if (!Object.hasOwn(value, String(name)))
      isValid = walker.fail('required', frame, `Instance does not have required property "${String(name)}".`);
  if (typeof minProperties === 'number' && names.length < minProperties)
    isValid = walker.fail('minProperties', frame, `Instance does not have at least ${minProperties} properties.`);
  if (typeof maxProperties === 'number' && names.length > maxProperties)
    isValid = walker.fail('maxProperties', frame, `Instance does not have at most ${maxProperties} properties.`);
  if (propertyNames === undefined) return isValid;
  for (const name of names) {
    const index = walker.units.length;
    if (!walker.inside(name, propertyNames, frame, name, `${frame.by}/propertyNames`))
      isValid = walker.fail('propertyNames', frame, `Property name "${name}" does not match schema.`, index);
  }
  return isValid;
}

function checkDependencies(walker: Walk, value: JsonObject, schema: JsonObject, frame: Frame): boolean {
  let isValid = true;
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const dependencies = schema[keyword];
    if (dependencies === undefined) continue;
    for (const [name, needed] of records(dependencies)) {
      spend(walker.budget, 1 + list(needed).length);
      if (!Object.hasOwn(value, name)) continue;
      if (Array.isArray(needed)) {
        for (const other of needed)
          if (!Object.hasOwn(value, String(other)))
            isValid = walker.fail(keyword, frame, `Instance has "${name}" but does not have "${String(other)}".`);
        continue;
      }
      const index = walker.units.length;
      const seen = keyword === 'dependencies' ? walker.newSeen() : frame.seen;
      if (!walker.same(value, needed, frame, `${frame.by}/${keyword}/${encodeStep(name)}`, seen))
        isValid = walker.fail(keyword, frame, `Instance has "${name}" but does not match dependant schema.`, index);
    }
  }
  return isValid;
}

function checkProperties(walker: Walk, value: JsonObject, names: readonly string[], schema: JsonObject, frame: Frame): boolean {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
  const rest = additionalProperties ?? unevaluatedProperties;
  const known = rest === undefined ? undefined : new Set<string | number>();
  let isValid = true;
  const check = (name: string, part: unknown, keyword: string, by: string): void => {
    const index = walker.units.length;
    known?.add(name);
    if (walker.inside(value[name], part, frame, name, by)) frame.seen?.add(name);
    else isValid = walker.fail(keyword, frame, `Property "${name}" does not match schema.`, index);
  };
  for (const [name, part] of records(properties)) {
    spend(walker.budget, 1);
    if (Object.hasOwn(value, name)) check(name, part, 'properties', `${frame.by}/properties/${encodeStep(name)}`);
    if (!isValid && walker.isQuick) return false;
  }
  const uncertain = checkPatterns(walker, names, patternProperties, (name, pattern, part) =>
    check(name, part, 'patternProperties', `${frame.by}/patternProperties/${encodeStep(pattern)}`),
  );
  if (!known) return isValid;
  const keyword = additionalProperties === undefined ? 'unevaluatedProperties' : 'additionalProperties';
  if (additionalProperties === undefined) for (const name of frame.seen ?? []) known.add(name);
  for (const name of names) if (!known.has(name) && !uncertain.has(name)) check(name, rest, keyword, `${frame.by}/${keyword}`);
  return isValid;
}

/** Returns the names for which a pattern could not be tried: they may match. */
function checkPatterns(
  walker: Walk,
  names: readonly string[],
  patterns: unknown,
  check: (name: string, pattern: string, part: unknown) => void,
): ReadonlySet<string> {
  const uncertain = new Set<string>();
  for (const [pattern, part] of records(patterns)) {
    for (const name of names) {
      const matches = walker.matches(pattern, name);
      if (matches === undefined) uncertain.add(name);
      else if (matches) check(name, pattern, part);
    }
  }
  return uncertain;
}
