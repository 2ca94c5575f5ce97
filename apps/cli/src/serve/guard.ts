/** Owns keeping what tools do inside this process from writing into the protocol or ending the program. */
import { redirectStrayOutput } from '../terminal/stray-output.ts';
import type { Voice } from './voice.ts';

/** Answers the way back. */
export function guardProgram(voice: Pick<Voice, 'note' | 'warn'>, debug: boolean | undefined): () => void {
  const restoreOutput = redirectStrayOutput(voice.note, [process.stdout]);
  const onStrayError = (error: unknown): void =>
    voice.warn(`A tool failed outside its call: ${String(error instanceof Error && debug === true ? error.stack : error)}`);
  process.on('uncaughtException', onStrayError);
  return () => {
    restoreOutput();
    process.off('uncaughtException', onStrayError);
  };
}
