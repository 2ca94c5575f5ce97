/** Resolves `--policy`: a profile, `none`, a model of another library, or a file. */
import { existsSync } from 'node:fs';
import { type ProfileName, profiles } from '@holdfast/core';
import { suggest } from '@holdfast/core/internal/plain';
import { loadPolicy, type PolicyFile } from '@holdfast/manifest';
import { holdfastOptions } from '@holdfast/manifest/lab';
import { type Contender, holdfast, type World } from '@holdfast/simulate';
import { contenderNamed, namedContenders, type NamedContender } from '@holdfast/simulate/peers';
import { formatCount, displayPath, printProblems } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import type { Console } from '../terminal/console.ts';

const prefix = 'peer:';

/** Prints the problems of a policy file. @throws UsageError when there is no such policy, or its file is invalid. */
export async function contenderOf(given: string, worlds: readonly World[], console: Console): Promise<Contender> {
  const named = contenderNamed(given);
  if (named) return named;
  if (given.startsWith(prefix) || isUnknownName(given)) throw unknownPolicy(given, namedContenders);
  const policy = await readPolicyFile(given, console);
  const inRules = policy.recoveryRules.flatMap(({ when }) => [when?.tool ?? []].flat());
  warnAboutUnknownTools(given, [...new Set([...Object.keys(policy.tools), ...inRules])], worlds, console);
  return holdfast(holdfastOptions(policy, displayPath(given)));
}

/** Prints the problems of the file. @throws UsageError when the file is invalid. */
async function readPolicyFile(path: string, console: Console): Promise<PolicyFile> {
  const { policy, problems, source } = await loadPolicy(path);
  printProblems(problems, source, console);
  if (policy) return policy;
  throw new UsageError(`${path} cannot be used: ${formatCount(problems)}.`);
}

/** What recorded turns are replayed with is a profile or a file. Prints the problems of the file. @throws UsageError when there is no such policy, or its file is invalid. */
export async function loadRecordedPolicy(given: string, console: Console): Promise<PolicyFile> {
  if (isProfile(given)) return { profile: given, defaults: {}, tools: {}, turn: {}, recoveryRules: [] };
  if (given === 'none' || given.startsWith(prefix))
    throw new UsageError(
      `'${given}' is not a Holdfast policy: it works only with simulate. Name a file, or one of ${profileNames.join(', ')}.`,
    );
  if (isUnknownName(given))
    throw unknownPolicy(
      given,
      profileNames.map((name) => ({ name, description: '' })),
    );
  return readPolicyFile(given, console);
}

const profileNames = Object.keys(profiles);

/** A name rather than a path, and there is no such file. */
const isUnknownName = (given: string): boolean => !existsSync(given) && !/[./\\]/.test(given);

export const isProfile = (name: string): name is ProfileName => Object.hasOwn(profiles, name);

function unknownPolicy(given: string, known: readonly NamedContender[]): UsageError {
  const names = known.map(({ name }) => name);
  const near = names.find((name) => name === `${prefix}${given}`) ?? suggest(given, names) ?? suggest(`${prefix}${given}`, names);
  return new UsageError(
    `there is no policy '${given}'.${near === undefined ? ` Name a file, or one of ${names.join(', ')}.` : ` Did you mean '${near}'?`}`,
  );
}

/** A tool that no world has is probably a typo. */
function warnAboutUnknownTools(file: string, tools: readonly string[], worlds: readonly World[], console: Console): void {
  const known = [...new Set(worlds.flatMap((world) => Object.keys(world.tools)))];
  for (const tool of tools) {
    if (known.includes(tool)) continue;
    const near = suggest(tool, known);
    console.warn(`${file}: no world has the tool '${tool}'.${near === undefined ? '' : ` Did you mean '${near}'?`}`);
  }
}
