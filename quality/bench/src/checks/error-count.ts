/** Counts created errors in a separate process, in which the constructors are replaced before anything else is loaded. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface ErrorCount {
  readonly holdfast: number;
  readonly opossum: number;
}

export async function errorsPerRefusal(nodeOptions: readonly string[] = process.execArgv): Promise<ErrorCount> {
  const program = join(import.meta.dirname, 'count-errors.ts');
  return JSON.parse(execFileSync(process.execPath, [...nodeOptions, program], { encoding: 'utf8' })) as ErrorCount;
}
