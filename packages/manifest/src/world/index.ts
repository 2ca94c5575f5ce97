/** The entry `@holdfast/manifest/world`: world files of the lab. It needs `@holdfast/simulate`. */
export { loadWorld } from './load-world.ts';
export { parseWorld } from './parse-world.ts';
export type { WorldParseOptions, WorldResult } from './parse-world.ts';
export { printWorld } from './print-world.ts';
