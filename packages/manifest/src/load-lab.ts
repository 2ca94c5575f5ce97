/** Owns reading worlds and policy files from disk. Every error of a file is a problem; nothing throws. */
import { readText } from './load.ts';
import { type PolicyResult, parsePolicy } from './parse-policy.ts';
import { parseWorld, type WorldResult } from './world/parse-world.ts';

/** Loads the world of a simulation from a file. Never rejects: an unreadable file is a problem. */
export async function loadWorld(path: string): Promise<WorldResult> {
  const file = await readText(path);
  return file.problem ? { problems: [file.problem], source: '' } : parseWorld(file.text, { file: path });
}

/** Loads a policy file, or the policies of a manifest. */
export async function loadPolicy(path: string): Promise<PolicyResult> {
  const file = await readText(path);
  return file.problem ? { problems: [file.problem], source: '' } : parsePolicy(file.text, { file: path });
}
