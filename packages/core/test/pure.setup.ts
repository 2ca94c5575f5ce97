/**
 * Makes the machine unreachable while the core's tests run: anyone who asks for the time, a random
 * number, a timer or the network is told that the core is pure. Time and randomness are arguments.
 *
 * fast-check would read the clock for its seed, so the seed is drawn here, before the doors close.
 * A failing property prints its seed; run it again with HOLDFAST_SEED=<seed> (or FC_SEED=<seed>).
 */
import fc from 'fast-check';

/** Files share a process, and only the first of them finds the doors open. */
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
