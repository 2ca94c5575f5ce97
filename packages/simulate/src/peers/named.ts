/** Owns the contenders that have a name: the profiles, `none`, the models of other libraries and the oracle. */
import { type ProfileName, profiles } from '@holdfast/core';
import { holdfast } from '../holdfast/holdfast.ts';
import type { Contender } from '../run/contender.ts';
import { none } from '../run/none.ts';
import { peerModels } from './catalogue.ts';
import { peer } from './contender.ts';
import { oracle } from './oracle.ts';

/** A contender that can be named, and what it does in one line. */
export interface NamedContender {
  /** `spec`, `none`, `peer:polly`. */
  readonly name: string;
  /** What it does, in one line. */
  readonly description: string;
}

const peerPrefix = 'peer:';

const libraries = peerModels.filter(({ name }) => name !== 'none');

/** Every name that `contenderNamed` knows. */
export const namedContenders: readonly NamedContender[] = [
  ...Object.keys(profiles).map((name) => ({ name, description: `Holdfast with the profile ${name}` })),
  { name: 'none', description: 'one attempt per call' },
  ...libraries.map(({ name, configuration }) => ({ name: `${peerPrefix}${name}`, description: configuration })),
  { name: `${peerPrefix}oracle`, description: 'knows when the service works: the upper bound for any policy' },
];

const isProfile = (name: string): name is ProfileName => Object.hasOwn(profiles, name);

/** The contender with this name, or `undefined` when there is none. */
export function contenderNamed(name: string): Contender | undefined {
  if (isProfile(name)) return holdfast({ name, profile: name });
  if (name === 'none') return { ...none, name };
  if (name === `${peerPrefix}oracle`) return { ...oracle, name };
  const model = libraries.find((each) => `${peerPrefix}${each.name}` === name);
  return model && { ...peer(model), name };
}
