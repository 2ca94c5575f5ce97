import fc from 'fast-check';

/** The seed of this file's properties: `HOLDFAST_SEED=<seed>` runs them again. */
export function announceSeed(what: string): void {
  // Not on the console, which the reporter hides if no test fails.
  process.stderr.write(`${what}: HOLDFAST_SEED=${String(fc.readConfigureGlobal().seed)}\n`);
}
