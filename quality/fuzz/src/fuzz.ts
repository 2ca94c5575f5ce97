/** Owns one seed from its scene to its findings, and the command that runs it again. */
import type { ProfileName } from '@holdfast/core';
import { describeScene } from './describe.ts';
import { runScene } from './run-scene.ts';
import { drawScene } from './scene/draw-scene.ts';
import type { TurnTemplate } from './scene/template.ts';
import { shrink } from './shrink.ts';

export interface FuzzOptions {
  /** @default drawn from the seed */
  readonly profile?: ProfileName | undefined;
  /** @default turns at random */
  readonly template?: TurnTemplate | undefined;
}

/** What a seed showed. */
export interface FuzzFinding {
  readonly seed: string;
  /** Runs it again. */
  readonly command: string;
  readonly found: readonly string[];
}

/** Runs one seed; the findings, if any. */
export async function fuzz(seed: string, options: FuzzOptions = {}): Promise<FuzzFinding | undefined> {
  const { found } = await runScene(drawScene(seed, options));
  return found.length === 0 ? undefined : { seed, found, command: commandOf(seed, options) };
}

/** A finding in full: the command, what does not hold, and the smallest scene that shows it. */
export async function explainFinding({ seed, found, command }: FuzzFinding, options: FuzzOptions = {}): Promise<string> {
  const smallest = await shrink(drawScene(seed, options), found);
  const lines = [`run it again: ${command}`, ...found.map((what) => `  ${what}`), 'the smallest scene that shows it:'];
  return [...lines, ...describeScene(smallest.scene).map((line) => `  ${line}`), ...smallest.found.map((what) => `  so: ${what}`)].join(
    '\n',
  );
}

function commandOf(seed: string, { profile, template }: FuzzOptions): string {
  const turn = template ? ` --turn '${template.name.replaceAll("'", String.raw`'\''`)}'` : '';
  return `npm run fuzz -- --seed ${seed}${turn}${profile ? ` --profile ${profile}` : ''} --trace`;
}
