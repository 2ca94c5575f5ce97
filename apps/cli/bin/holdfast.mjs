#!/usr/bin/env node
/** Starts the command line: built where it is installed, from the sources in a clone of the repository, where nothing has to be built first. */
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `holdfast: needs Node 22.18 or newer, this is ${process.version}. Within the repository, "npx holdfast" brings its own.\n`,
  );
  process.exit(2);
}

// Compiled code, and in a clone the sources without their types, are kept for the next start.
nodeModule.enableCompileCache();

const isClone = existsSync(new URL('../tsconfig.json', import.meta.url));
if (isClone) {
  nodeModule.registerHooks({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(specifier, { ...context, conditions: ['@holdfast/source', ...(context.conditions ?? [])] }),
  });
}
await import(isClone ? '../src/main.ts' : '../dist/main.js');
