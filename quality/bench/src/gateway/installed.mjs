/**
 * A program: `holdfast` as installed. In a clone its own program runs the sources, whose types have to be stripped first; this one starts
 * the built files, with the same heap settings.
 */
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=40']) setFlagsFromString(flag);
enableCompileCache();
await import('../../../../apps/cli/dist/main.js');
