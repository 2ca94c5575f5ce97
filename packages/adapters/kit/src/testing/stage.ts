/**
 * Owns playing a conversation with a framework against a provider double with a scripted model, with a time limit, and recording what was observed.
 *
 * Invariants
 * 1. `play` never rejects because of the framework: rejecting and hanging are recorded as outcomes.
 * 2. A hanging conversation is abandoned; its tools may still complete.
 */
import type { TraceEvent } from '@holdfast/core';
import type { RunStopped } from '@holdfast/core/agent';
import type { NeutralResult, RecordedRequest, ConversationScript } from '@holdfast/provider-double';
import { startProviderDouble } from '@holdfast/provider-double';
import type { ReliableOptions } from '../options.ts';
import type { AdapterHarness, ContractTool, Conversation, HistoryMessage, PlayResult } from './harness.ts';

/** The conversation a case plays. */
export interface Scenario {
  /** Tools to offer to the model. */
  readonly tools: readonly ContractTool[];
  /** The model's answers. */
  readonly script: ConversationScript;
  /** Options for `reliableTools`, over short waits and a fixed seed. */
  readonly options?: ReliableOptions;
  /** Messages before the prompt. @default none */
  readonly history?: readonly HistoryMessage[];
  /** Answers of the model are streamed. @default false */
  readonly streaming?: boolean;
  /** The caller aborts shortly after this promise settles. */
  readonly abortAfter?: Promise<unknown>;
  /** Maximum number of answers of the model; then the conversation ends. @default 8 */
  readonly maxAnswers?: number;
  /** Time after which a conversation counts as hanging. @default 8000 */
  readonly limitMs?: number;
}

/** The record of a played conversation. */
export interface Played {
  /** What the provider double received, in order. */
  readonly requests: readonly RecordedRequest[];
  /** How the framework's run ended. `hung`: it did not settle within the limit. */
  readonly ended: 'resolved' | 'rejected' | 'hung';
  /** The error it rejected with. */
  readonly error: unknown;
  /** Text of the model's last answer. Empty if the run did not resolve. */
  readonly text: string;
  /** Why the run was stopped, with Holdfast; `undefined` if it was not. */
  readonly stopped: RunStopped | undefined;
  /** The trace of the run. Empty without Holdfast. */
  readonly events: readonly TraceEvent[];
  /** Time from the start, or from the caller's abort, to the end. */
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
  play(scenario: Scenario, wrapped?: boolean): Promise<Played>;
}

/** Creates the stage of a framework, with Holdfast or bare. */
export function stageOf(harness: AdapterHarness, wrapped: boolean): Stage {
  return { harness, wrapped, play: (scenario, as = wrapped) => play(harness, scenario, as) };
}

/** Short and deterministic delays. */
const fastOptions: ReliableOptions = {
  seed: 'contract',
  policy: { timeoutMs: 4_000, retry: { initialDelayMs: 1, maxDelayMs: 2, maxAttempts: 3 } },
};

async function play(harness: AdapterHarness, scenario: Scenario, wrapped: boolean): Promise<Played> {
  const { tools, script, history = [], streaming = false, abortAfter, maxAnswers = 8, limitMs = 8_000 } = scenario;
  const double = await startProviderDouble({ script });
  const events: TraceEvent[] = [];
  const controller = new AbortController();
  const options = mergeOptions(scenario.options, events);
  const conversation: Conversation = {
    wrapped,
    baseUrl: double.baseUrlFor(harness.format, harness.client),
    tools,
    options,
    streaming,
    history,
    prompt: 'Continue.',
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
  const policy = { ...fastOptions.policy, ...own.policy };
  return { ...fastOptions, ...own, policy, run: { ...own.run, onEvent: (event) => void events.push(event) } };
}

/** The tool results in the latest request to the model, oldest first. */
export function toolResults({ requests }: Played): readonly NeutralResult[] {
  return requests.at(-1)?.neutral.messages.flatMap(({ results }) => results) ?? [];
}
