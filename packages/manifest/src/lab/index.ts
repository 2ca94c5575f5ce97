/** The entry `@holdfast/manifest/lab`: worlds and policies from text. It needs `@holdfast/simulate`, and nothing of Node: it runs in a browser. */
export { holdfastOptions } from './holdfast-options.ts';
export { parsePolicySettings } from './parse-policy-settings.ts';
export { parseWorld } from '../world/parse-world.ts';
export type { WorldParseOptions, WorldResult } from '../world/parse-world.ts';
export { printWorld } from '../world/print-world.ts';
export type { PolicyFile, PolicyResult } from '../policy-file.ts';
export type { Problem } from '../problem.ts';
