/** Owns the shape of the contract's cases, and how what was seen is judged and said. */
import type { TraceEvent } from '@holdfast/core';
import type { Capability } from './harness.ts';
import type { Played, Stage } from './stage.ts';
import { toolResults } from './stage.ts';

/** One promise of an adapter. */
export interface ContractCase {
  /** Stable, kebab-case. */
  readonly id: string;
  /** What happens. */
  readonly title: string;
  /** What should come of it. */
  readonly expected: string;
  /** What a framework must have for the case to be judged. */
  readonly needs: readonly Capability[];
  /** What Holdfast brings and frameworks do not claim to have: a bare framework without it is not wrong. */
  readonly added?: true;
  /** Plays the case and returns what was seen. */
  observe(stage: Stage): Promise<Observation>;
}

/** What was seen in a case, and which expectations did not hold. */
export interface Observation {
  /** One line, the same in every run. */
  readonly seen: string;
  /** Expectations that did not hold; none: the promise is kept. */
  readonly broken: readonly string[];
}

/** An expectation, and whether it holds. */
export type Expectation = readonly [holds: boolean, what: string];

/** The expectation that a hanging conversation breaks. */
export const conversationEnds = 'the conversation ends';

/** How a conversation may end. @default resolved */
export interface Judging {
  readonly mayReject?: boolean;
  /** Asked of the framework with Holdfast alone: its own words, its own limits. */
  readonly own?: readonly Expectation[];
  /** What must be in the trace, with Holdfast. */
  readonly traced?: readonly TraceEvent['event_type'][];
}

/** Judges what was seen: beside the expectations, every request is accepted and the conversation ends. */
export function judge(
  stage: Stage,
  played: Played,
  expectations: readonly Expectation[],
  { mayReject, own = [], traced = [] }: Judging = {},
): Observation {
  const types = new Set(played.events.map(({ event_type }) => event_type));
  const all: readonly Expectation[] = [
    [played.ended !== 'hung', conversationEnds],
    [played.ended !== 'rejected' || mayReject === true, 'the conversation does not reject'],
    [played.requests.every(({ refused }) => !refused), 'every request is accepted'],
    ...expectations,
    ...(stage.wrapped ? own : []),
    ...(stage.wrapped ? traced.map((type): Expectation => [types.has(type), `the trace has ${type}`]) : []),
  ];
  return { seen: describePlay(played), broken: all.filter(([holds]) => !holds).map(([, what]) => what) };
}

function describePlay(played: Played): string {
  const { requests, ended, error, text, stopped } = played;
  const refused = requests.find((request) => request.refused)?.refused;
  const results = toolResults(played).map((result) => `“${shorten(result.text)}”`);
  const parts = [
    ...(results.length > 0 ? [`the model read ${[...results].slice(-3).join(', ')}`] : []),
    ...(refused ? [`the provider answered ${refused.status}: ${shorten(refused.message)}`] : []),
    ...(ended === 'rejected' ? [`the run rejected: ${shorten(describeThrown(error))}`] : []),
    ...(ended === 'hung' ? ['nothing came back'] : []),
    ...(stopped ? [`the run was stopped (${stopped.reason})`] : []),
    ...(ended === 'resolved' && !stopped ? [text === '' ? 'it ended without an answer' : `it ended with “${shorten(text)}”`] : []),
  ];
  return `${parts.join('; ')} (${requests.length} ${requests.length === 1 ? 'request' : 'requests'})`;
}

function describeThrown(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : `${typeof error} ${String(error)}`;
  } catch {
    return `a ${typeof error} that cannot be read`;
  }
}

/** One line without what differs from run to run: ports, and waits that count down. */
function shorten(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1')
    .replaceAll(/\d+(?:\.\d+)? (?:milliseconds|seconds?|s|ms)\b/g, 'a while')
    .trim();
  return line.length <= 110 ? line : `${line.slice(0, 109)}…`;
}
