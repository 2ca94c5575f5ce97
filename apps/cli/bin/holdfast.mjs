#!/usr/bin/env node
/** Starts the CLI: from the build if it is installed, from the sources in a clone of the repository, which then needs no build. */
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `holdfast: needs Node 22.18 or newer, this is ${process.version}. In the repository, "npx holdfast" uses a suitable version.\n`,
  );
  process.exit(2);
}

if (['serve', 'wrap'].some((command) => process.argv.includes(command))) await import('./small-heap.mjs');

// Caches compiled code and stripped sources for the next start.
nodeModule.enableCompileCache();

const isClone = existsSync(new URL('../tsconfig.json', import.meta.url));
if (isClone) {
  nodeModule.registerHooks({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(specifier, { ...context, conditions: ['@holdfast/source', ...(context.conditions ?? [])] }),
  });
}
await import(isClone ? '../src/main.ts' : '../dist/main.js');
