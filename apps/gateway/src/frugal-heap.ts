/**
 * Owns how much memory the process keeps in reserve. A gateway makes much garbage and holds little: V8 would let its young generation grow to 48 MB and its old one to
 * several times what lives, and never give either back.
 */
import { setFlagsFromString } from 'node:v8';

/** Before much was allocated: what has grown stays. */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=40');
}
