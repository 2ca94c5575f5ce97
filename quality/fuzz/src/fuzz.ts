/** Owns one seed, from its scene to its findings, and the command that reproduces it. */
import type { ProfileName } from '@holdfast/core';
import { describeScene } from './describe.ts';
import { runScene } from './run-scene.ts';
import { drawScene } from './scene/draw-scene.ts';
import type { TurnTemplate } from './scene/template.ts';
import { shrink } from './shrink.ts';

export interface FuzzOptions {
  /** @default drawn from the seed */
  readonly profile?: ProfileName | undefined;
  /** @default random turns */
  readonly template?: TurnTemplate | undefined;
}

/** The findings of a seed. */
export interface FuzzFinding {
  readonly seed: string;
  /** Reproduces it. */
  readonly command: string;
  readonly found: readonly string[];
}

/** Runs one seed and returns its findings, if any. */
export async function fuzz(seed: string, options: FuzzOptions = {}): Promise<FuzzFinding | undefined> {
  const { found } = await runScene(drawScene(seed, options));
  return found.length === 0 ? undefined : { seed, found, command: commandOf(seed, options) };
}

/** A finding in full: the command, the violations, and the smallest scene that shows them. */
export async function explainFinding({ seed, found, command }: FuzzFinding, options: FuzzOptions = {}): Promise<string> {
  const smallest = await shrink(drawScene(seed, options), found);
  const lines = [`reproduce with: ${command}`, ...found.map((what) => `  ${what}`), 'the smallest scene that shows it:'];
  return [...lines, ...describeScene(smallest.scene).map((line) => `  ${line}`), ...smallest.found.map((what) => `  so: ${what}`)].join(
    '\n',
  );
}

function commandOf(seed: string, { profile, template }: FuzzOptions): string {
  const turn = template ? ` --turn '${template.name.replaceAll("'", String.raw`'\''`)}'` : '';
  return `npm run fuzz -- --seed ${seed}${turn}${profile ? ` --profile ${profile}` : ''} --trace`;
}
