/** Owns finding the tracer of the provider that is in force: an application may set it up later, and by another copy of the API than ours. */
import type { Tracer, TracerProvider } from '@opentelemetry/api';
import { trace } from '@opentelemetry/api';
import { schemaUrl } from '../semconv.ts';
import { scope } from './scope.ts';

export function tracerOf(own: TracerProvider | undefined): () => Tracer {
  let provider: TracerProvider | undefined;
  let tracer: Tracer | undefined;
  return () => {
    const current = own ?? trace.getTracerProvider();
    if (tracer && current === provider) return tracer;
    provider = current;
    tracer = current.getTracer(scope.name, scope.version, { schemaUrl });
    return tracer;
  };
}
