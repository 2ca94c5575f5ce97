/** Imported before the gateway's program: the heap is kept as small as `holdfast serve` keeps it. */
import { setFlagsFromString } from 'node:v8';

for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=40']) setFlagsFromString(flag);
