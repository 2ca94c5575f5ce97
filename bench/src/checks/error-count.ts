/** Counts errors that are built, in a process of its own: there the constructors are replaced before anything else is loaded. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface ErrorCount {
  readonly holdfast: number;
  readonly opossum: number;
}

export async function errorsPerRefusal(): Promise<ErrorCount> {
  const program = join(import.meta.dirname, 'count-errors.ts');
  return JSON.parse(execFileSync(process.execPath, [...process.execArgv, program], { encoding: 'utf8' })) as ErrorCount;
}
