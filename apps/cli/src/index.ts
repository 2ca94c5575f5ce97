/** The command line as a function. */
export { runCommandLine } from './program.ts';
