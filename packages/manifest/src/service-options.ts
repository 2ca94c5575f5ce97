/** Owns what a manifest says to a service as a whole. Its tools are made by `buildTools`. */
import type { ToolExecutionServiceOptions } from '@holdfast/core';
import { compileJsonSchema } from './json-schema/compile.ts';
import type { Manifest } from './manifest.ts';

/**
 * The options of a service as the manifest wants it, but for `tools` and `store`. The values of the environment variables that the manifest calls secret are
 * read here.
 */
export function serviceOptions(
  { profile, defaults, turn, policies, capture, redact, seed }: Manifest,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Omit<ToolExecutionServiceOptions, 'tools' | 'store'> {
  return {
    profile,
    policy: defaults,
    turn,
    policies,
    capture,
    redact: { secrets: redact.environment.flatMap((name) => environment[name] ?? []), patterns: redact.patterns },
    jsonSchema: compileJsonSchema,
    ...(seed === undefined ? {} : { seed }),
  };
}
