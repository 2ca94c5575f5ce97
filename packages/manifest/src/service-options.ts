/** Owns what a manifest says to a service as a whole. Its tools are made by `buildTools`. */
import type { ToolExecutionServiceOptions } from '@holdfast/core';
import { compileJsonSchema } from './json-schema/compile.ts';
import { manifestSecrets } from './manifest-secrets.ts';
import type { Manifest } from './manifest.ts';

/**
 * The options of a service as the manifest wants it, but for `tools` and `store`. The values of the environment variables that it takes credentials from are read
 * here: no text shows them.
 */
export function serviceOptions(
  manifest: Manifest,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Omit<ToolExecutionServiceOptions, 'tools' | 'store'> {
  const { profile, defaults, turn, recoveryRules, capture, redact, seed } = manifest;
  return {
    profile,
    policy: defaults,
    turn,
    recoveryRules,
    capture,
    redact: { secrets: manifestSecrets(manifest, environment), patterns: redact.patterns },
    jsonSchema: compileJsonSchema,
    ...(seed === undefined ? {} : { seed }),
  };
}
