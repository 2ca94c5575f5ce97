/** opossum: one breaker that includes timeout and capacity, in its own fixed order. */
import CircuitBreaker from 'opossum';
import type { Answer, BuildOptions, Circuit, Contender, Guarded, Part, Work } from '../port.ts';
import { BadRequest } from '../situation.ts';

type Guard = CircuitBreaker<[Work], unknown>;
interface CodedError extends Error {
  readonly code?: string;
  readonly retryAfterMs?: number;
  readonly retryAfter?: number;
}

/** Not the dependency's failure: a bad request, and opossum's own refusal when all slots are in use. */
const errorFilter = (error: CodedError): boolean => error instanceof BadRequest || error.code === 'ESEMLOCKED';

function optionsOf(parts: readonly Part[]): CircuitBreaker.Options {
  const options: CircuitBreaker.Options = {
    timeout: false,
    volumeThreshold: 1_000_000,
    rollingPercentilesEnabled: false,
    autoRenewAbortController: true,
    errorFilter,
  };
  for (const part of parts) {
    if (part.part === 'breaker')
      Object.assign(options, { resetTimeout: part.openMs, volumeThreshold: part.failures ?? 1, errorThresholdPercentage: 1 });
    else if (part.part === 'rate breaker')
      Object.assign(options, { rollingCountTimeout: part.windowMs, rollingCountBuckets: 5, volumeThreshold: 5, resetTimeout: 60_000 });
    else if (part.part === 'timeout') options.timeout = part.ms;
    else if (part.part === 'bulkhead') options.capacity = part.limit;
  }
  return options;
}

function answerOf(error: unknown): Answer {
  const { message, code, retryAfterMs, retryAfter } = error as CodedError;
  if (code === 'EOPENBREAKER') return { kind: 'refused', by: 'circuit', retryAfterMs: retryAfterMs ?? retryAfter, message };
  if (code === 'ESEMLOCKED') return { kind: 'refused', by: 'bulkhead', retryAfterMs: undefined, message };
  return { kind: code === 'ETIMEDOUT' ? 'timed out' : 'failed', message };
}

function circuitOf({ opened, halfOpen }: Guard): Circuit {
  if (halfOpen) return 'half-open';
  return opened ? 'open' : 'closed';
}

function build(parts: readonly Part[], { saved }: BuildOptions = {}): Guarded {
  const restored = saved as { readonly state: CircuitBreaker.State; readonly status: CircuitBreaker.Stats } | undefined;
  const options = optionsOf(parts);
  const state = restored ? { state: restored.state, status: CircuitBreaker.newStatus({ stats: restored.status }) } : {};
  // The signal of the breaker's only AbortController.
  const signal = (): AbortSignal => (breaker as unknown as { getSignal(): AbortSignal }).getSignal();
  // Not async, so that the breaker receives what the work returns.
  const action = ((work: Work) => work(signal())) as (work: Work) => Promise<unknown>;
  const breaker: Guard = new CircuitBreaker(action, { ...options, ...state });
  let timeouts = 0;
  breaker.on('timeout', () => void (timeouts += 1));
  return {
    call: async (work) => {
      try {
        return { kind: 'value', value: await breaker.fire(work) };
      } catch (error) {
        return answerOf(error);
      }
    },
    circuit: () => circuitOf(breaker),
    onRetry: () => undefined,
    timeoutEvents: () => timeouts,
    events: ['success', 'failure', 'open'],
    listen: (event, listener) => void breaker.on(event as 'open', listener),
    save: async () => Promise.resolve(breaker.toJSON()),
  };
}

export const contender: Contender = { name: 'opossum', build };
