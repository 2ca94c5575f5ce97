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
  /** Tools to offer to the model. */
  readonly tools: readonly ContractTool[];
  /** What the model says. */
  readonly script: ConversationScript;
  /** Options for `reliableTools`, over short waits and a fixed seed. */
  readonly options?: ReliableOptions;
  /** Messages before the prompt. @default none */
  readonly history?: readonly HistoryMessage[];
  /** Answers of the model are streamed. @default false */
  readonly streaming?: boolean;
  /** The caller cancels shortly after this has settled. */
  readonly abortAfter?: Promise<unknown>;
  /** The conversation ends after so many answers of the model. @default 8 */
  readonly maxAnswers?: number;
  /** A conversation that takes longer hangs. @default 8000 */
  readonly limitMs?: number;
}

/** What was seen. */
export interface Played {
  /** What the provider double received, in order. */
  readonly requests: readonly RecordedRequest[];
  /** How the framework's run ended. `hung`: it did not settle within the limit. */
  readonly ended: 'resolved' | 'rejected' | 'hung';
  /** What it rejected with. */
  readonly error: unknown;
  /** Text of the model's last answer. Empty if the run did not resolve. */
  readonly text: string;
  /** Why the run was stopped, with Holdfast; `undefined` if it was not. */
  readonly stopped: RunStopped | undefined;
  /** The trace of the run. Empty without Holdfast. */
  readonly events: readonly TraceEvent[];
  /** From the start, or from the caller's abort, to the end. */
  readonly tookMs: number;
}

/** Plays the conversations of a case with one framework. */
export interface Stage {
  /** The framework. */
  readonly harness: AdapterHarness;
  /** `true`: with Holdfast. `false`: the bare framework. */
  readonly wrapped: boolean;
  /**
   * Plays one conversation against a provider double. Never rejects because of what the framework does.
   * @param wrapped @default the stage's own
   */
  play(scene: Scene, wrapped?: boolean): Promise<Played>;
}

/** Creates the stage of a framework, with Holdfast or bare. */
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
