#!/usr/bin/env node
/** Starts the command line: built where it is installed, from the sources in a clone of the repository, where nothing has to be built first. */
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { setFlagsFromString } from 'node:v8';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `holdfast: needs Node 22.18 or newer, this is ${process.version}. Within the repository, "npx holdfast" brings its own.\n`,
  );
  process.exit(2);
}

// The gateway makes much garbage and holds little. What V8 has once grown to, it keeps: so it is told before anything is loaded.
if (process.argv.includes('serve'))
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=40']) setFlagsFromString(flag);

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
