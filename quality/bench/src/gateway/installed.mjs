/**
 * A program: `holdfast` as installed. In a clone its own program runs the sources, whose types have to be stripped first; this one starts
 * the built files, with the same heap settings.
 */
import { enableCompileCache } from 'node:module';

const cli = new URL('../../../../apps/cli/', import.meta.url);
await import(new URL('bin/small-heap.mjs', cli).href);
enableCompileCache();
await import(new URL('dist/main.js', cli).href);
