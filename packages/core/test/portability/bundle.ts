/** Owns bundling the core into one script without imports, as an application's bundler would. */
import { join } from 'node:path';
import { build } from 'esbuild';

const folder = import.meta.dirname;

/** What the bundle leaves in its global scope. */
export const globalName = 'portable';

export interface Bundle {
  readonly code: string;
  /** The bundled files, relative to the package. */
  readonly inputs: readonly string[];
}

/**
 * Bundles `scenario.ts` with all of the core. `platform: neutral` has no Node built-ins and `packages` stay unresolved,
 * so an import from outside the core fails here already.
 */
export async function bundleScenario(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: join(folder, '../..'),
    entryPoints: [join(folder, 'scenario.ts')],
    bundle: true,
    write: false,
    metafile: true,
    format: 'iife',
    globalName,
    platform: 'neutral',
    target: 'es2023',
    treeShaking: false,
    logLevel: 'silent',
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error('esbuild wrote no file');
  return { code: script.text, inputs: Object.keys(metafile.inputs) };
}
