/**
 * The entry `@holdfast/core/internal/plain`: small functions over plain values that the packages of Holdfast share. It follows no version rule; do not depend on it.
 * It is apart from `@holdfast/core/internal` so that nothing else is loaded for them.
 */
export { callSafely } from './call-safely.ts';
export { fieldsOf, isObject, isRecord } from './is-object.ts';
export { hasSchemaIds, leadsToSchema, pointerStep, pointerSteps, resolvePointer } from './json-pointer.ts';
export { camelCase, snakeCase } from './letter-case.ts';
export { parseJsonOrUndefined, parseStructure } from './parse-json.ts';
export { repeatsName } from './repeats-name.ts';
export { fieldNamedElsewhere, suggest } from './suggest.ts';
export { headOf, truncate } from './truncate.ts';
export { maxTimerMs, waitAtMost, type PlatformTimers, type Timers } from './wait-at-most.ts';
export { withoutUndefined } from './without-undefined.ts';

// The check of options
export { checkOptions } from '../settings/check-options.ts';
export { arrayRule, checkRule, checkShape, listOf, mapOf, refuse, withMethods } from '../settings/check.ts';
export type { Fields, Guess, NumberRule, Rule } from '../settings/check.ts';
export { count, delay, period } from '../settings/fields.ts';
export { signalRule } from '../ports/signal.ts';
