/** The entry of the fuzz: random scenes, run by every driver, and the guarantees that are checked in each. */
export { describePlay, describeScene } from './describe.ts';
export { explainFinding, fuzz } from './fuzz.ts';
export type { FuzzFinding, FuzzOptions } from './fuzz.ts';
export { runScene } from './run-scene.ts';
export { drawScene } from './scene/draw-scene.ts';
export { readTemplates } from './scene/read-templates.ts';
export type { TurnTemplate } from './scene/template.ts';
export { shrink } from './shrink.ts';
