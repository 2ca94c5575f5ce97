/** Owns passing the trace context to MCP servers: in `_meta` of a call, under the unprefixed W3C names (SEP-414). */
import { context, propagation } from '@opentelemetry/api';

/** `traceparent`, `tracestate`, `baggage`: what the application's propagator writes for the running attempt. For `meta` of `mcpServer`. */
export function traceMeta(): Readonly<Record<string, string>> {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}
