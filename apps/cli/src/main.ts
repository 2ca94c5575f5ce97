/** The program. Exits once all output is written, even if a tool left something running. */
import { runCommandLine } from './program.ts';
import { createConsole } from './terminal/console.ts';

const console = createConsole();
const exitCode = await runCommandLine(process.argv.slice(2), console);
await Promise.all([console.out.flush(), console.err.flush()]);
process.exit(exitCode);
