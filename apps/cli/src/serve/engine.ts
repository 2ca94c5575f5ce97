/** Selects the turn engine: the manifest's, or the one given by option. */
import type { Manifest } from '@holdfast/manifest';

export type EngineChoice = 'in-process' | 'restate';

/** A local Restate, if the manifest does not configure one. */
const defaultEngine = {
  restate: { ingress: 'http://127.0.0.1:8080', admin: 'http://127.0.0.1:9070', headers: {}, timeoutMs: 5_000 },
} as const;

export function withEngine(manifest: Manifest, choice: EngineChoice | undefined): Manifest {
  if (choice === 'restate') return { ...manifest, engine: manifest.engine ?? defaultEngine };
  const { engine: _, ...without } = manifest;
  return choice === 'in-process' ? without : manifest;
}
