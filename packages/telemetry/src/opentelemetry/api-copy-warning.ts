/**
 * Owns detecting an SDK that this copy of the API cannot see: an application with an older API than the one this package resolved. Without the warning,
 * nothing would be recorded for no visible reason.
 */
import { trace } from '@opentelemetry/api';

interface Api {
  readonly version?: string;
  readonly trace?: unknown;
}

interface Host {
  readonly process?: { emitWarning?(message: string, options: { readonly code: string }): void };
}

/** The global under which every copy of the API registers. */
const apiKey = Symbol.for('opentelemetry.js.api.1');

/** Warns if there is one. Returns whether the check is finished. */
export function warnOfNewerApiCopy(): boolean {
  const { version = '', trace: theirs } = ((globalThis as Record<symbol, unknown>)[apiKey] ?? {}) as Api;
  if (theirs === undefined) return false;
  if (theirs === trace.getTracerProvider()) return true;
  const message = `@holdfast/telemetry: an OpenTelemetry SDK is registered through @opentelemetry/api ${version}, and this package found a newer copy, which cannot see it: no spans are recorded. Install one version of @opentelemetry/api, the application's (npm ls @opentelemetry/api).`;
  (globalThis as Host).process?.emitWarning?.(message, { code: 'HOLDFAST_OTEL_COPIES' });
  return true;
}
