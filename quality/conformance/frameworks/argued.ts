/** Owns the reasons for differences: what users of the framework would choose, and why. */
import type { Difference } from './compare.ts';

export interface Argument {
  /** Unique, for the data. */
  readonly id: string;
  /** Names of frameworks. */
  readonly frameworks: readonly string[];
  /** What differs, for the page. */
  readonly title: string;
  /** Why users of the framework would choose it. */
  readonly reason: string;
  /** Not what users would choose: a defect of the adapter that is known. */
  readonly isOpen?: true;
  /** Found in the test's name or in its failure. The first argument that is found counts. */
  readonly found: RegExp;
}

const aiSdk: readonly Argument[] = [
  {
    id: 'cancelled-before-start',
    frameworks: ['ai-sdk', 'openai'],
    title: 'A call that was cancelled before its tool started',
    reason: 'The tool is not started. Bare, it runs although the caller has given up, and its effect is real.',
    found: /should forward abort signal to tool execution|flow with abort/,
  },
  {
    id: 'clock',
    frameworks: ['ai-sdk'],
    title: 'Reads of a mocked clock',
    reason: 'The test counts the reads of `performance.now`, and Holdfast reads it, too. Durations of real tools are the same.',
    found: /should calculate throughput from response time and track tool execution time/,
  },
  {
    id: 'invalid-call-words',
    frameworks: ['ai-sdk'],
    title: 'Words about a call that does not match its schema',
    reason: 'The model reads which field is wrong, what it sent and what the tool takes, in place of a dump of the validator.',
    found: /invalid tool calls?\b/,
  },
];

const langchain: readonly Argument[] = [
  {
    id: 'lossless-arguments',
    frameworks: ['langchain'],
    title: 'A number that was written as a string',
    reason: '`"123"` has one reading as a number, so the tool runs; bare, the model is asked to write it again.',
    found: /should use send error tool message if model creates wrong args/,
  },
  {
    id: 'orphan-result',
    frameworks: ['langchain'],
    title: 'A result without its call in the history',
    reason: 'It is left out of the request, because providers refuse a conversation that has one.',
    found: /should handle messages with no corresponding AI message/,
  },
  {
    id: 'agent-continues',
    frameworks: ['langchain'],
    title: 'A failure that other middleware throws again',
    reason:
      'The model is told, and the agent continues, whichever middleware has seen the failure. Bare, a tool ends the agent as soon as any middleware wraps calls. To end the agent on purpose, throw an error of your own.',
    found:
      /toolErrorMiddleware > (?:bypasses tools|propagates the original error)|re-raise on failure|should preserve errors from the downstream handler/,
  },
  {
    id: 'unknown-tool-words',
    frameworks: ['langchain'],
    title: 'Words about a tool that does not exist',
    reason: 'The model reads which tools there are.',
    found: /UNKNOWN_TOOL/,
  },
];

const openaiAgents: readonly Argument[] = [
  {
    id: 'cancelled-at-once',
    frameworks: ['openai-agents'],
    title: 'A tool that ends after the caller has cancelled',
    reason:
      'The caller gets an answer at once, and what the tool returns later is not part of the run. Bare, a tool that ignores its signal holds the run as long as it likes.',
    found:
      /before surfacing cancellation|when cancellation is surfaced|committed during cancellation|settles a cancelled function tool|atomically finalizes a completed|after non-streaming cancellation|while failed function work drains|omits state when a sibling failure wins/,
  },
  {
    id: 'timeout-words',
    frameworks: ['openai-agents'],
    title: 'Words about `timeoutMs`',
    reason: 'The model reads that the call may have taken effect and what to do next, not only that time was up.',
    found: /Error TOOL_TIMEOUT/,
  },
  {
    id: 'schema-is-checked',
    frameworks: ['openai-agents'],
    title: 'Arguments that break a JSON Schema',
    reason:
      'They are refused, and the model is told the field. Bare, the tool runs with them, because the SDK does not check a JSON Schema.',
    found: /normalizes strict input through local JSON Schema references/,
  },
];

const all: readonly Argument[] = [
  {
    id: 'argument-words',
    frameworks: ['openai', 'anthropic', 'langchain', 'mcp', 'openai-agents'],
    title: 'Words about arguments that a tool cannot take',
    reason:
      'All adapters use the same words: which field, what was sent (not in OpenAI Agents, which hides it by default), what the tool takes, and how many attempts are left.',
    // An assertion of a test's own server escapes to the process.
    found: /Error INVALID_ARGUMENTS|flow with parse error|\(escaped\) > expected \[ \{ role: 'user'/,
  },
  {
    id: 'failure-words',
    frameworks: ['ai-sdk', 'openai', 'anthropic', 'langchain', 'mcp', 'openai-agents'],
    title: 'Words about a tool that failed',
    reason: 'The model reads the tool’s own words, and in addition whether the call may have taken effect and what to do next.',
    found: /Error (?:TOOL_ERROR|AUTHENTICATION_FAILED)/,
  },
];

export const argued: readonly Argument[] = [...aiSdk, ...langchain, ...openaiAgents, ...all];

export const argumentsOf = (framework: string): readonly Argument[] => argued.filter(({ frameworks }) => frameworks.includes(framework));

/** What hangs is never argued. */
export function argumentOf(framework: string, { test, error = '', wrapped }: Difference): Argument | undefined {
  if (wrapped === 'hung') return undefined;
  return argumentsOf(framework).find(({ found }) => found.test(`${test}\n${error}`));
}
