/**
 * Owns noticing that an SDK is there which this copy of the API cannot see: an application on an older API than the one this package found. Nothing would be
 * told then, and nobody would know why.
 */
import { trace } from '@opentelemetry/api';

interface Api {
  readonly version?: string;
  readonly trace?: unknown;
}

interface Host {
  readonly process?: { emitWarning?(message: string, options: { readonly code: string }): void };
}

/** Where every copy of the API looks. */
const place = Symbol.for('opentelemetry.js.api.1');

/** Says so, where it is the case. Whether there is nothing more to look for. */
export function warnOfCopies(): boolean {
  const { version = '', trace: theirs } = ((globalThis as Record<symbol, unknown>)[place] ?? {}) as Api;
  if (theirs === undefined) return false;
  if (theirs === trace.getTracerProvider()) return true;
  const message = `@holdfast/telemetry: an OpenTelemetry SDK is registered through @opentelemetry/api ${version}, and this package found a newer copy, which cannot see it: no span is told. Install one version of @opentelemetry/api, the application's (npm ls @opentelemetry/api).`;
  (globalThis as Host).process?.emitWarning?.(message, { code: 'HOLDFAST_OTEL_COPIES' });
  return true;
}
