/** Owns reading worlds from disk. */
import { readText } from '../load.ts';
import { parseWorld, type WorldResult } from './parse-world.ts';

/** Loads the world of a simulation from a file. Never rejects: an unreadable file is a problem. */
export async function loadWorld(path: string): Promise<WorldResult> {
  const file = await readText(path);
  return file.problem ? { problems: [file.problem], source: '' } : parseWorld(file.text, { file: path });
}
