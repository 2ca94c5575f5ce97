/** Owns finding the tracer of the current provider: an application may set it later, and through another copy of the API. */
import type { Tracer, TracerProvider } from '@opentelemetry/api';
import { ProxyTracerProvider, trace } from '@opentelemetry/api';
import { schemaUrl } from '../semconv.ts';
import { scope } from '../scope.ts';

/** `undefined` while there is no SDK: then nothing is recorded. */
export function tracerOf(own: TracerProvider | undefined): () => Tracer | undefined {
  let provider: TracerProvider | undefined;
  let tracer: Tracer | undefined;
  return () => {
    const current = own ?? trace.getTracerProvider();
    if (tracer && current === provider) return tracer;
    provider = current;
    tracer = makeTracer(current);
    return tracer;
  };
}

function makeTracer(provider: TracerProvider): Tracer | undefined {
  const options = { schemaUrl };
  if (provider instanceof ProxyTracerProvider) return provider.getDelegateTracer(scope.name, scope.version, options);
  return provider.getTracer(scope.name, scope.version, options);
}
