import fc from 'fast-check';

/** The seed under which this file's properties run: `HOLDFAST_SEED=<seed>` runs them again. */
export function announceSeed(what: string): void {
  // Not by console: the reporter keeps that to itself where nothing fails.
  process.stderr.write(`${what}: HOLDFAST_SEED=${String(fc.readConfigureGlobal().seed)}\n`);
}
