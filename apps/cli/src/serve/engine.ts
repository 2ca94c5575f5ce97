/** Owns which engine a command uses: the manifest's, or the one that was asked for. */
import type { Manifest } from '@holdfast/manifest';

export type EngineChoice = 'in-process' | 'restate';

/** One on this machine, where the manifest says no more. */
const usual = {
  restate: { ingress: 'http://127.0.0.1:8080', admin: 'http://127.0.0.1:9070', headers: {}, timeoutMs: 5_000 },
} as const;

export function withEngine(manifest: Manifest, choice: EngineChoice | undefined): Manifest {
  if (choice === 'restate') return { ...manifest, engine: manifest.engine ?? usual };
  const { engine: _, ...without } = manifest;
  return choice === 'in-process' ? without : manifest;
}
