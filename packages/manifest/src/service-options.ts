/** Owns the service options of a manifest. Does not own its tools (`buildTools`). */
import type { ToolExecutionServiceOptions } from '@holdfast/core';
import { checkRule } from '@holdfast/core/internal/plain';
import { compileJsonSchema } from './json-schema/compile.ts';
import { checkManifest } from './check-manifest.ts';
import { manifestSecrets } from './manifest-secrets.ts';
import type { Manifest } from './manifest.ts';

/**
 * The service options of a manifest, except `tools` and `store`. Reads the environment variables with credentials, so that their values are
 * redacted.
 */
export function serviceOptions(
  manifest: Manifest,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Omit<ToolExecutionServiceOptions, 'tools' | 'store'> {
  checkManifest(manifest, 'serviceOptions');
  checkRule('object', environment, 'serviceOptions: environment');
  const { profile, memory, defaults, turn, recoveryRules, capture, redact, seed } = manifest;
  return {
    profile,
    policy: defaults,
    turn,
    recoveryRules,
    capture,
    redact: { secrets: manifestSecrets(manifest, environment), patterns: redact.patterns },
    jsonSchema: compileJsonSchema,
    ...(memory === undefined ? {} : { useMemory: memory === 'on' }),
    ...(seed === undefined ? {} : { seed }),
  };
}
