/**
 * Disables clock, randomness, timers and network while the tests of the core run: using them throws an error. Time and randomness are arguments of the core.
 * fast-check reads the clock for its seed, so the seed is drawn before. A failing property prints its seed;
 * run it again with HOLDFAST_SEED=<seed> (or FC_SEED=<seed>).
 */
import fc from 'fast-check';

/** Files share a process; only the first of them finds the original functions. */
const first = globalThis as { seedOfProperties?: number };
const seed = Number(
  process.env['HOLDFAST_SEED'] ?? process.env['FC_SEED'] ?? (first.seedOfProperties ??= Math.floor(Math.random() * 0x7fff_ffff)),
);
if (!Number.isInteger(seed)) throw new RangeError(`HOLDFAST_SEED must be a whole number, got '${process.env['HOLDFAST_SEED'] ?? ''}'.`);
fc.configureGlobal({ seed });

const refuse = (name: string) => (): never => {
  throw new Error(`core is pure: ${name} is not for the core; take it as an argument (HOLDFAST_SEED=${String(seed)})`);
};

Date.now = refuse('Date.now');
Math.random = refuse('Math.random');
globalThis.setTimeout = Object.assign(refuse('setTimeout'), { __promisify__: refuse('setTimeout') });
globalThis.setInterval = Object.assign(refuse('setInterval'), { __promisify__: refuse('setInterval') });
globalThis.fetch = refuse('fetch');
