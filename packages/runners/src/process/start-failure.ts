/** Owns saying why a program could not be started: the system's words name the wrong thing if the working folder or an interpreter is missing. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf, messageOf } from '../runner-error.ts';

export interface FailedStart {
  readonly command: string;
  readonly cwd?: string | undefined;
}

/** The same failure, with the same code, and a reason that names what is missing. */
export function startFailure(cause: unknown, start: FailedStart): Error {
  const code = codeOf(cause);
  const reason = reasonOf(code, start);
  if (reason === undefined) return cause instanceof Error ? cause : new Error(messageOf(cause));
  return Object.assign(new Error(`${reason} (${String(code)})`, { cause }), { code });
}

function reasonOf(code: unknown, { command, cwd }: FailedStart): string | undefined {
  const file = /[/\\]/.test(command) ? resolve(cwd ?? '.', command) : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    if (cwd !== undefined && !isFolder(cwd)) return `the working folder '${cwd}' ${existsSync(cwd) ? 'is not a folder' : 'does not exist'}`;
    if (file !== undefined && existsSync(file)) return `the interpreter that '${command}' names in its first line was not found`;
    const words = command.trim().split(/\s+/);
    const hint =
      words.length > 1 ? `. If '${String(words[0])}' is the program, the other words are its arguments and belong in 'args'` : '';
    return `the program '${command}' was not found${file === undefined ? ' in PATH' : ''}${hint}`;
  }
  if (code !== 'EACCES') return undefined;
  if (cwd !== undefined && !isUsable(cwd)) return `the working folder '${cwd}' may not be entered`;
  return file !== undefined && isFolder(file) ? `'${command}' is a folder, not a program` : `the program '${command}' may not be executed`;
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function isUsable(folder: string): boolean {
  try {
    return statSync(resolve(folder, '.')).isDirectory();
  } catch {
    return false;
  }
}
