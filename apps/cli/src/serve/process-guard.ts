/** Keeps tools in this process from writing to standard output or crashing the program. */
import { redirectStrayOutput } from '../terminal/stray-output.ts';
import type { OperatorLog } from './operator-log.ts';

/** Returns a function that removes the guard. */
export function guardProcess(operatorLog: Pick<OperatorLog, 'note' | 'warn'>, debug: boolean | undefined): () => void {
  const restoreOutput = redirectStrayOutput(operatorLog.note, [process.stdout]);
  const onStrayError = (error: unknown): void =>
    operatorLog.warn(`A tool failed outside its call: ${String(error instanceof Error && debug === true ? error.stack : error)}`);
  process.on('uncaughtException', onStrayError);
  return () => {
    restoreOutput();
    process.off('uncaughtException', onStrayError);
  };
}
