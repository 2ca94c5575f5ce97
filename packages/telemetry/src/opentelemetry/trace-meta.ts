/** Owns handing the trace on to MCP servers: in `_meta` of a call, under the names of W3C, unprefixed as MCP has them (SEP-414). */
import { context, propagation } from '@opentelemetry/api';

/** `traceparent`, `tracestate`, `baggage`: whatever the application's propagator writes for the attempt that is running. For `meta` of `mcpServer`. */
export function traceMeta(): Readonly<Record<string, string>> {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}
