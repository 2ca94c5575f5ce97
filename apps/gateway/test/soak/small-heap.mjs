/** Imported before the gateway's program: limits the heap like `holdfast serve`. */
import { setFlagsFromString } from 'node:v8';

for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=40']) setFlagsFromString(flag);
