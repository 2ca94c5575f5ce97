/**
 * A program: `holdfast` as installed. In a clone its own program runs the sources, whose types have to be stripped first; this one starts
 * the built files, with the same heap settings.
 */
import '../../../../apps/cli/bin/small-heap.mjs';
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('../../../../apps/cli/dist/main.js');
