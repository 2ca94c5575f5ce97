/** Owns the W3C trace context: reading it from headers or the `_meta` of MCP, writing it, and which one is active. Does not own spans. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** The span that is active, of this process or of a client. */
export interface ActiveSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
  /** `tracestate`, unchanged. */
  readonly state: string | undefined;
}

/** Headers, or other named strings such as the `_meta` of an MCP request. */
export type TraceCarrier = Readonly<Record<string, unknown>>;

const pattern = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const longestState = 512;
const active = new AsyncLocalStorage<ActiveSpan>();

/** `undefined` if there is no valid `traceparent`. */
export function readTraceContext({ traceparent, tracestate }: TraceCarrier): ActiveSpan | undefined {
  const [, traceId, spanId, flags, rest] = (typeof traceparent === 'string' && pattern.exec(traceparent)) || [];
  // Version 00 has four parts, a later one may have more; ff is invalid.
  const version = String(traceparent).slice(0, 2);
  if (traceId === undefined || spanId === undefined || flags === undefined || version === 'ff') return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  const state = typeof tracestate === 'string' && tracestate.length <= longestState ? tracestate : undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1, state };
}

/** The headers of a request that is sent on behalf of the span. */
export const traceHeaders = ({ traceId, spanId, sampled, state }: ActiveSpan): Readonly<Record<string, string>> => ({
  traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`,
  ...(state === undefined ? {} : { tracestate: state }),
});

const conversation = new AsyncLocalStorage<string>();

export const activeConversation = (): string | undefined => conversation.getStore();

export const withConversation = <Result>(id: string, work: () => Result): Result => conversation.run(id, work);

export const activeSpan = (): ActiveSpan | undefined => active.getStore();

/** Runs the work while the span is active. */
export const withActiveSpan = <Result>(span: ActiveSpan, work: () => Result): Result => active.run(span, work);

const newTraceId = (): string => randomBytes(16).toString('hex');

/** A child of the span, or the first span of a new trace. */
export const childOf = (parent: ActiveSpan | undefined): ActiveSpan => ({
  traceId: parent?.traceId ?? newTraceId(),
  spanId: randomBytes(8).toString('hex'),
  sampled: parent?.sampled ?? true,
  state: parent?.state,
});
