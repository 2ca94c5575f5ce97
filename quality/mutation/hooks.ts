/** Preloaded into the process that runs the tests: replaces `vitest` and `fast-check` with the files of this folder. */
import { registerHooks } from 'node:module';
import { loadLoads, resolveLoads } from './reload.ts';

const instead: Readonly<Record<string, string>> = {
  vitest: new URL('test-functions.ts', import.meta.url).href,
  'fast-check': new URL('fast-check.ts', import.meta.url).href,
};

registerHooks({
  resolve: (name, context, next) => {
    const url = instead[name];
    return url === undefined || context.parentURL === url ? next(name, context) : { url, format: 'module-typescript', shortCircuit: true };
  },
});

if (process.env['MUTATION_RELOADS'] === '1') registerHooks({ resolve: resolveLoads, load: loadLoads });
