/** Owns the runner of a tool that is a function of a JavaScript module in this process. */
import { pathToFileURL } from 'node:url';
import type { Runner } from '@holdfast/core';
import type { ModuleEntry } from './manifest.ts';

/** The module is loaded at the first call. A failed load is not cached, so that a fixed file works at the next call. */
export function moduleRunner({ module, export: name = 'default' }: ModuleEntry): Runner<unknown> {
  let loaded: Runner<unknown> | undefined;
  const run: Runner<unknown> = async (args, context) => {
    if (loaded === undefined) {
      loaded = await load(module, name);
      // Loading takes a while: a call that was cancelled in the meantime is not started.
      context.signal.throwIfAborted();
    }
    return loaded(args, context);
  };
  return Object.assign(run, { kind: 'in_process' as const });
}

async function load(module: string, name: string): Promise<Runner<unknown>> {
  const exports = (await import(pathToFileURL(module).href)) as Readonly<Record<string, unknown>>;
  const found = exports[name];
  if (typeof found === 'function') return found as Runner<unknown>;
  const functions = Object.keys(exports).filter((key) => typeof exports[key] === 'function');
  throw new TypeError(`${module} exports no function '${name}'. It exports: ${functions.join(', ') || 'none'}.`);
}
