/** Owns what the visitor has chosen, and its form in the address: a link reproduces the page. Reading never throws. */
import { seedsOf } from '@holdfast/simulate';
import { namedContenders } from '@holdfast/simulate/peers';
import type { Job } from '../lab/job.ts';
import { isScenario } from '../lab/stories.ts';

export interface State {
  /** A scenario. */
  readonly world: string;
  /** The YAML that replaces it; '' when there is none. */
  readonly worldText: string;
  /** Names of policies, at least one; `own` is the one below. */
  readonly policies: readonly string[];
  readonly ownPolicy: string;
  /** 0: as in the world. */
  readonly processes: number;
  readonly seeds: number;
  readonly seed: string;
}

export const maxPolicies = 4;
export const maxSeeds = 20;
export const maxProcesses = 200;
const maxTextLength = 20_000;
const maxSeedLength = 40;

const startingPolicy = `# Settings over a profile. What is not here comes from the profile.
profile: spec
defaults:
  retry_policy:
    max_attempts: 3
    initial_delay_ms: 200
`;

export const initialState: State = {
  world: 'outage',
  worldText: '',
  policies: ['none', 'spec', 'adaptive'],
  ownPolicy: startingPolicy,
  processes: 0,
  seeds: 2,
  seed: '1',
};

export const policyNames: readonly string[] = [...namedContenders.map(({ name }) => name), 'own'];

const keys = { world: 'w', worldText: 'world', policies: 'p', ownPolicy: 'own', processes: 'n', seeds: 'k', seed: 's' } as const;

const textsOf = (state: State): Readonly<Record<keyof State, string>> => ({
  ...state,
  policies: state.policies.join(','),
  processes: String(state.processes),
  seeds: String(state.seeds),
});

/** The fragment of a link, without `#`. What is as at the start is left out. */
export function toFragment(state: State): string {
  const [values, initial] = [textsOf(state), textsOf(initialState)];
  const names = Object.keys(keys) as (keyof State)[];
  const changed = names.filter((name) => values[name] !== initial[name] && (name !== 'ownPolicy' || state.policies.includes('own')));
  return new URLSearchParams(changed.map((name) => [keys[name], values[name]])).toString();
}

/** What cannot be read is as at the start. */
export function fromFragment(fragment: string): State {
  const given = new URLSearchParams(fragment.replace(/^#/u, ''));
  const textOf = (name: keyof State): string | undefined => given.get(keys[name]) ?? undefined;
  const world = textOf('world') ?? '';
  const seed = textOf('seed') ?? '';
  const policies = [...new Set((textOf('policies') ?? '').split(','))].filter((name) => policyNames.includes(name)).slice(0, maxPolicies);
  return {
    world: isScenario(world) ? world : initialState.world,
    worldText: (textOf('worldText') ?? '').slice(0, maxTextLength),
    policies: policies.length === 0 ? initialState.policies : policies,
    ownPolicy: (textOf('ownPolicy') ?? initialState.ownPolicy).slice(0, maxTextLength),
    processes: wholeNumber(textOf('processes'), initialState.processes, 0, maxProcesses),
    seeds: wholeNumber(textOf('seeds'), initialState.seeds, 1, maxSeeds),
    seed: seed === '' ? initialState.seed : seed.slice(0, maxSeedLength),
  };
}

function wholeNumber(text: string | undefined, otherwise: number, least: number, most: number): number {
  const value = text === undefined || !/^\d+$/u.test(text) ? otherwise : Number(text);
  return Math.min(Math.max(value, least), most);
}

export const jobOf = ({ world, worldText, policies, ownPolicy, processes, seeds, seed }: State): Job => ({
  world: worldText === '' ? { name: world } : { text: worldText },
  processes,
  policies,
  ownPolicy,
  seeds: seedsOf(seed, seeds),
});

const quoted = (text: string): string => (/^[\w.:@-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);

/** The command with the same figures. Texts are files there. */
export function commandOf({ world, worldText, policies, processes, seeds, seed }: State): string {
  const place = worldText === '' ? `--scenario ${world}` : 'world.yaml';
  const names = policies.map((name) => `--policy ${name === 'own' ? 'policy.yaml' : name}`);
  const topology = processes === 0 ? '' : ` --processes ${processes}`;
  return `npx holdfast simulate ${place} ${names.join(' ')}${topology} --seeds ${seeds} --seed ${quoted(seed)} -o json`;
}
