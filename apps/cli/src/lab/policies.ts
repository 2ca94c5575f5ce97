/** Owns what `--policy` names: a profile, nothing at all, a model of another library, or a file. */
import { existsSync } from 'node:fs';
import { type ProfileName, profiles } from '@holdfast/core';
import { suggest } from '@holdfast/core/internal/plain';
import { loadPolicy, type PolicyFile } from '@holdfast/manifest';
import { type Contender, holdfast, none, type World } from '@holdfast/simulate';
import { formatCount, displayed, printProblems } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import type { Console } from '../terminal/console.ts';

const prefix = 'peer:';

export interface NamedPolicy {
  readonly name: string;
  readonly description: string;
}

/** Everything that `--policy` knows beside files. */
export async function knownPolicies(): Promise<readonly NamedPolicy[]> {
  const { peerModels } = await import('@holdfast/simulate/peers');
  return [
    ...Object.keys(profiles).map((name) => ({ name, description: `Holdfast with the profile ${name}` })),
    { name: 'none', description: 'every call is tried once' },
    ...peerModels
      .filter(({ name }) => name !== 'none')
      .map(({ name, configuration }) => ({ name: `${prefix}${name}`, description: configuration })),
    { name: `${prefix}oracle`, description: 'knows when the service works: what nobody can do better than' },
  ];
}

/** @throws UsageError when there is no such policy, after the problems of its file were told. */
export async function contenderOf(given: string, worlds: readonly World[], console: Console): Promise<Contender> {
  if (isProfile(given)) return holdfast({ name: given, profile: given });
  if (given === 'none') return { ...none, name: 'none' };
  if (given.startsWith(prefix)) return peerOf(given);
  if (isNoFile(given)) throw unknown(given, await knownPolicies());
  const { profile = 'spec', defaults, tools, turn, recoveryRules } = await policyFile(given, console);
  warnOfUnknownTools(given, Object.keys(tools), worlds, console);
  return holdfast({ name: displayed(given), profile, policy: defaults, tools, turn, recoveryRules });
}

/** @throws UsageError after the problems were told. */
async function policyFile(path: string, console: Console): Promise<PolicyFile> {
  const { policy, problems, source } = await loadPolicy(path);
  printProblems(problems, source, console);
  if (policy) return policy;
  throw new UsageError(`${path} cannot be used: ${formatCount(problems)}.`);
}

/** Of what can be asked of recorded turns: a profile or a file. @throws UsageError after the problems were told. */
export async function askedPolicy(given: string, console: Console): Promise<PolicyFile> {
  if (isProfile(given)) return { profile: given, defaults: {}, tools: {}, turn: {}, recoveryRules: [] };
  if (given === 'none' || given.startsWith(prefix))
    throw new UsageError(
      `'${given}' is no policy of Holdfast: it can be tried in the lab alone. Name a file, or one of ${profileNames.join(', ')}.`,
    );
  if (isNoFile(given))
    throw unknown(
      given,
      profileNames.map((name) => ({ name, description: '' })),
    );
  return policyFile(given, console);
}

const profileNames = Object.keys(profiles);

/** A name rather than a path, and there is no file of that name. */
const isNoFile = (given: string): boolean => !existsSync(given) && !/[./\\]/.test(given);

const isProfile = (name: string): name is ProfileName => Object.hasOwn(profiles, name);

async function peerOf(given: string): Promise<Contender> {
  const { oracle, peer, peerModels } = await import('@holdfast/simulate/peers');
  const name = given.slice(prefix.length);
  const model = peerModels.find((each) => each.name === name);
  if (model) return { ...peer(model), name: given };
  if (name === 'oracle') return { ...oracle, name: given };
  throw unknown(given, await knownPolicies());
}

function unknown(given: string, known: readonly NamedPolicy[]): UsageError {
  const names = known.map(({ name }) => name);
  const near = names.find((name) => name === `${prefix}${given}`) ?? suggest(given, names) ?? suggest(`${prefix}${given}`, names);
  return new UsageError(
    `there is no policy '${given}'.${near === undefined ? ` Name a file, or one of ${names.join(', ')}.` : ` Did you mean '${near}'?`}`,
  );
}

/** What a policy says of tools that no world has is worth nothing, and is probably a slip. */
function warnOfUnknownTools(file: string, tools: readonly string[], worlds: readonly World[], console: Console): void {
  const known = [...new Set(worlds.flatMap((world) => Object.keys(world.tools)))];
  for (const tool of tools) {
    if (known.includes(tool)) continue;
    const near = suggest(tool, known);
    console.warning(`${file}: no world has the tool '${tool}'.${near === undefined ? '' : ` Did you mean '${near}'?`}`);
  }
}
