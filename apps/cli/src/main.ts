/** The program. Ends by itself once everything is written, also when a tool left something running. */
import { runCommandLine } from './program.ts';
import { createConsole } from './terminal/console.ts';

const console = createConsole();
const exitCode = await runCommandLine(process.argv.slice(2), console);
await Promise.all([console.out.flushed(), console.err.flushed()]);
process.exit(exitCode);
