/**
 * The entry `@holdfast/core/internal/plain`: small functions over plain values that the packages of Holdfast share. It follows no version rule; do not depend on it.
 * It is apart from `@holdfast/core/internal` so that nothing else is loaded for them.
 */
export { fieldsOf, isObject, isRecord } from './is-object.ts';
export { camelCase, snakeCase } from './letter-case.ts';
export { parseJsonOrUndefined, parseStructure } from './parse-json.ts';
export { suggest } from './suggest.ts';
export { headOf, truncate } from './truncate.ts';
export { longestTimerMs, waitAtMost, type PlatformTimers, type Timers } from './wait-at-most.ts';
export { withoutUndefined } from './without-undefined.ts';
