/** Owns the keywords for lists. */
import type { JsonObject } from '../../json.ts';
import { spend, stepsFor } from './budget.ts';
import { canonicalKey } from './canonical.ts';
import type { Frame, Walk } from './walk.ts';

export function checkList(walker: Walk, value: readonly unknown[], schema: JsonObject, frame: Frame): boolean {
  const { minItems, maxItems, uniqueItems } = schema as Readonly<Record<string, unknown>>;
  let isValid = true;
  if (typeof maxItems === 'number' && value.length > maxItems)
    isValid = walker.fail('maxItems', frame, `Array has too many items (${value.length} > ${maxItems}).`);
  if (typeof minItems === 'number' && value.length < minItems)
    isValid = walker.fail('minItems', frame, `Array has too few items (${value.length} < ${minItems}).`);
  if (!isValid && walker.isQuick) return false;
  if (!checkItems(walker, value, schema, frame)) isValid = false;
  if (!checkContains(walker, value, schema, frame)) isValid = false;
  if (schema['unevaluatedItems'] !== undefined && !checkRest(walker, value, schema['unevaluatedItems'], frame)) isValid = false;
  if (uniqueItems === true && hasDuplicates(walker, value)) isValid = walker.fail('uniqueItems', frame, 'Duplicate items.');
  return isValid;
}

function checkItems(walker: Walk, value: readonly unknown[], schema: JsonObject, frame: Frame): boolean {
  const { prefixItems, items, additionalItems } = schema;
  const isTuple = Array.isArray(items);
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : isTuple ? items : [];
  const firstKeyword = Array.isArray(prefixItems) ? 'prefixItems' : 'items';
  const rest = isTuple ? additionalItems : items;
  let isValid = true;
  for (let index = 0; index < value.length; index += 1) {
    const isFirst = index < first.length;
    const part = isFirst ? first[index] : rest;
    if (part === undefined) break;
    const keyword = isFirst ? firstKeyword : isTuple ? 'additionalItems' : 'items';
    const before = walker.units.length;
    frame.seen?.add(index);
    if (walker.inside(value[index], part, frame, index, `${frame.by}/${keyword}${isFirst ? `/${index}` : ''}`)) continue;
    isValid = walker.fail(keyword, frame, 'Items did not match schema.', before);
    if (walker.isQuick) return false;
  }
  return isValid;
}

function checkContains(walker: Walk, value: readonly unknown[], schema: JsonObject, frame: Frame): boolean {
  const { contains } = schema;
  if (contains === undefined) return true;
  const least = typeof schema['minContains'] === 'number' ? schema['minContains'] : undefined;
  const most = typeof schema['maxContains'] === 'number' ? schema['maxContains'] : Infinity;
  const { skips, units } = walker;
  const before = units.length;
  let contained = 0;
  value.forEach((item, index) => {
    if (!walker.inside(item, contains, frame, index, `${frame.by}/contains`)) return;
    contained += 1;
    frame.seen?.add(index);
  });
  units.length = before;
  if (contained < (least ?? 1)) {
    const keyword = least === undefined ? 'contains' : 'minContains';
    return walker.fail(keyword, frame, `${contained} items match, fewer than ${least ?? 1}.`);
  }
  return contained <= most || walker.skips > skips || walker.fail('maxContains', frame, `${contained} items match, more than ${most}.`);
}

function checkRest(walker: Walk, value: readonly unknown[], part: unknown, frame: Frame): boolean {
  let isValid = true;
  value.forEach((item, index) => {
    if (frame.seen?.has(index) === true) return;
    const before = walker.units.length;
    frame.seen?.add(index);
    if (!walker.inside(item, part, frame, index, `${frame.by}/unevaluatedItems`))
      isValid = walker.fail('unevaluatedItems', frame, 'Items did not match unevaluated items schema.', before);
  });
  return isValid;
}

function hasDuplicates(walker: Walk, value: readonly unknown[]): boolean {
  const keys = new Set<unknown>();
  for (const item of value) {
    const isPlain = typeof item !== 'object' || item === null;
    if (isPlain) spend(walker.budget, typeof item === 'string' ? stepsFor(item) : 1);
    // Strings and canonical forms cannot be confused: forms start with a bracket, and plain strings are marked.
    const key = typeof item === 'string' ? `"${item}` : isPlain ? item : canonicalKey(item, walker.budget);
    if (keys.has(key)) return true;
    keys.add(key);
  }
  return false;
}
