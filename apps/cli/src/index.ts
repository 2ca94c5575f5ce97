/** The command line as a function, and the terminal view of turns. */
export { runCommandLine } from './program.ts';
