/**
 * Limits the memory of a gateway, which allocates much and retains little. Imported before anything else is loaded: V8 never shrinks what it has grown.
 *
 * Maglev, the middle one of V8's compilers, leaves up to 40 MB allocated. Without it, the optimizing compiler has to begin as early as Maglev would:
 * otherwise a call takes a quarter more processor time.
 */
import { setFlagsFromString } from 'node:v8';

const heap = ['--semi-space-growth-factor=1', '--heap-growing-percent=20'];
const compilers = ['--no-maglev', '--invocation-count-for-turbofan=400'];

for (const flag of [...heap, ...compilers]) setFlagsFromString(flag);
