/** Holdfast through `@holdfast/core`: one service with one tool, with every part as a setting. */
import { defineTool, memoryStore, ToolExecutionService } from '@holdfast/core';
import type { CircuitSnapshot, ToolPolicy, ToolResult, TraceEvent } from '@holdfast/core';
import type { Answer, BuildOptions, CallOptions, Circuit, Contender, Guarded, Part, Work } from '../port.ts';

type Settings = { -readonly [Key in keyof ToolPolicy]: ToolPolicy[Key] };

/** A timeout around other parts limits the call, any other timeout limits the attempt. */
const isOverall = (parts: readonly Part[]): boolean => parts.length > 1 && parts[0]?.part === 'timeout';

function settingsOf(parts: readonly Part[]): Settings {
  const settings: Settings = { retry: { maxAttempts: 1 }, breaker: false };
  for (const part of parts) {
    if (part.part === 'retry') {
      const { retries, delayMs, jitter } = part;
      settings.retry = {
        maxAttempts: retries + 1,
        initialDelayMs: delayMs,
        maxDelayMs: delayMs,
        maxTotalTimeMs: Infinity,
        jitter: jitter ? 'proportional' : 'none',
      };
    } else if (part.part === 'breaker') {
      settings.breaker = { failureThreshold: part.failures ?? 1, openMs: part.openMs };
      // Nothing runs without a timeout here, including a probe.
      if (part.probeMs !== undefined) settings.timeoutMs = part.probeMs;
    } else if (part.part === 'rate breaker')
      settings.breaker = { failureThreshold: 1_000, rate: { windowMs: part.windowMs, minimumCalls: 5, failureRate: 0.5 } };
    else if (part.part === 'bulkhead') settings.concurrency = { limit: part.limit, queue: part.queue };
    else if (!isOverall(parts)) settings.timeoutMs = part.ms;
  }
  return settings;
}

function answerOf({ status, output, error }: ToolResult): Answer {
  if (status === 'success') return { kind: 'value', value: output };
  const { message } = error;
  const { retryAfterMs } = error;
  if (status === 'timeout') return { kind: 'timed out', message };
  if (error.code === 'CANCELLED') return { kind: 'cancelled', message };
  if (error.code === 'CIRCUIT_OPEN') return { kind: 'refused', by: 'circuit', retryAfterMs, message };
  if (error.code === 'BULKHEAD_FULL') return { kind: 'refused', by: 'bulkhead', retryAfterMs, message };
  return { kind: 'failed', message };
}

const circuits: Readonly<Record<string, Circuit>> = { closed: 'closed', open: 'open', half_open: 'half-open' };

async function build(parts: readonly Part[], { seed, saves, saved }: BuildOptions = {}): Promise<Guarded> {
  const works = new Map<string, Work>();
  const store = saves ? memoryStore() : undefined;
  if (saved !== undefined) store?.saveCircuits(new Map(saved as readonly [string, CircuitSnapshot][]));
  const tool = defineTool({
    name: 'work',
    ...settingsOf(parts),
    run: (input: unknown, { signal }) => works.get((input as { readonly id: string }).id)?.(signal as AbortSignal),
  });
  const service = new ToolExecutionService({ tools: [tool], ...(store ? { store } : {}), ...(seed === undefined ? {} : { seed }) });
  if (saved !== undefined) await service.restore();
  let timeouts = 0;
  let calls = 0;
  service.subscribe(({ event_type }: TraceEvent) => {
    if (event_type === 'ToolTimeout') timeouts += 1;
  });
  const first = parts[0];
  const limit = first?.part === 'timeout' && isOverall(parts) ? { timeoutMs: first.ms } : {};

  const call = async (work: Work, { signal, id }: CallOptions = {}): Promise<Answer> => {
    const key = id ?? `call-${(calls += 1)}`;
    works.set(key, work);
    const answer = await ask(key, id, signal);
    works.delete(key);
    return answer;
  };
  const ask = async (key: string, id: string | undefined, signal: AbortSignal | undefined): Promise<Answer> => {
    const planned = { callId: key, toolName: 'work', arguments: { id: key } } as const;
    const options = { ...limit, ...(signal ? { signal } : {}) };
    if (id === undefined) return answerOf(await service.executeTool(planned, options));
    // A turn with its own id: its delays depend only on the seed and the names.
    const { results } = await service.executeTurn({ turnId: `turn-${id}`, calls: [planned] }, options);
    return answerOf(results[0] as ToolResult);
  };

  return {
    call,
    circuit: () => circuits[service.getToolHealth('work')?.circuit ?? ''] ?? 'closed',
    onRetry: (listener) =>
      void service.subscribe((event: TraceEvent) => {
        if (event.event_type === 'RetryScheduled') listener(event.delay_ms);
      }),
    timeoutEvents: () => timeouts,
    events: ['subscribe'],
    listen: (_event, listener) => void service.subscribe(listener),
    save: async () => {
      await service.close();
      return [...((await store?.loadCircuits()) ?? [])];
    },
  };
}

export const contender: Contender = { name: 'holdfast', build };
