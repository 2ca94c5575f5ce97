/**
 * Owns playing a conversation: a provider double with a scripted model, the framework in front of it, a time limit around it, and everything that was seen.
 *
 * Invariants
 * 1. `play` never rejects for what a framework does: rejecting and hanging are things it was seen to do.
 * 2. A conversation that hangs is left behind; its tools may still end.
 */
import type { TraceEvent } from '@holdfast/core';
import type { RunStopped } from '@holdfast/core/agent';
import type { NeutralResult, RecordedRequest, ConversationScript } from '@holdfast/provider-double';
import { startProviderDouble } from '@holdfast/provider-double';
import type { ReliableOptions } from '../options.ts';
import type { AdapterHarness, ContractTool, Conversation, HistoryMessage, PlayResult } from './harness.ts';

/** What a case asks to be played. */
export interface Scene {
  readonly tools: readonly ContractTool[];
  /** What the model says. */
  readonly script: ConversationScript;
  readonly options?: ReliableOptions;
  readonly history?: readonly HistoryMessage[];
  readonly streaming?: boolean;
  /** The caller cancels shortly after this has settled. */
  readonly abortAfter?: Promise<unknown>;
  /** @default 8 */
  readonly maxAnswers?: number;
  /** A conversation that takes longer hangs. @default 8000 */
  readonly limitMs?: number;
}

/** What was seen. */
export interface Played {
  readonly requests: readonly RecordedRequest[];
  readonly ended: 'resolved' | 'rejected' | 'hung';
  /** What it rejected with. */
  readonly error: unknown;
  readonly text: string;
  readonly stopped: RunStopped | undefined;
  readonly events: readonly TraceEvent[];
  /** From the start, or from the caller's abort, to the end. */
  readonly tookMs: number;
}

export interface Stage {
  readonly harness: AdapterHarness;
  readonly wrapped: boolean;
  /** @param wrapped @default the stage's own */
  play(scene: Scene, wrapped?: boolean): Promise<Played>;
}

export function stageOf(harness: AdapterHarness, wrapped: boolean): Stage {
  return { harness, wrapped, play: (scene, as = wrapped) => play(harness, scene, as) };
}

/** Short waits, and the same delays in every run. */
const quick: ReliableOptions = {
  seed: 'contract',
  policy: { timeoutMs: 4_000, retry: { initialDelayMs: 1, maxDelayMs: 2, maxAttempts: 3 } },
};

async function play(harness: AdapterHarness, scene: Scene, wrapped: boolean): Promise<Played> {
  const { tools, script, history = [], streaming = false, abortAfter, maxAnswers = 8, limitMs = 8_000 } = scene;
  const double = await startProviderDouble({ script });
  const events: TraceEvent[] = [];
  const controller = new AbortController();
  const options = mergeOptions(scene.options, events);
  const conversation: Conversation = {
    wrapped,
    baseUrl: double.baseUrlFor(harness.format, harness.client),
    tools,
    options,
    streaming,
    history,
    prompt: 'Go on.',
    signal: abortAfter && controller.signal,
    maxAnswers,
  };
  const timers: ReturnType<typeof setTimeout>[] = [];
  try {
    let startedAt = performance.now();
    const cancel = (): void => {
      startedAt = performance.now();
      controller.abort();
    };
    void abortAfter?.then(() => timers.push(setTimeout(cancel, 50)));
    const hung = new Promise<Settled>((resolve) => timers.push(setTimeout(() => resolve({ ended: 'hung' }), limitMs)));
    const settled = await Promise.race([settle(harness, conversation), hung]);
    const { ended, error, outcome } = settled;
    const tookMs = performance.now() - startedAt;
    return { requests: [...double.requests], ended, error, text: outcome?.text ?? '', stopped: outcome?.stopped, events, tookMs };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    await double.close();
  }
}

interface Settled {
  readonly ended: Played['ended'];
  readonly outcome?: PlayResult;
  readonly error?: unknown;
}

async function settle(harness: AdapterHarness, conversation: Conversation): Promise<Settled> {
  try {
    return { ended: 'resolved', outcome: await harness.play(conversation) };
  } catch (error) {
    return { ended: 'rejected', error };
  }
}

function mergeOptions(own: ReliableOptions = {}, events: TraceEvent[]): ReliableOptions {
  const policy = { ...quick.policy, ...own.policy };
  return { ...quick, ...own, policy, run: { ...own.run, onEvent: (event) => void events.push(event) } };
}

/** The results that the model was told of in its latest request, oldest first. */
export function toolResults({ requests }: Played): readonly NeutralResult[] {
  return requests.at(-1)?.neutral.messages.flatMap(({ results }) => results) ?? [];
}
