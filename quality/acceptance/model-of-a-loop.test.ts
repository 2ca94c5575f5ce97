/** Random answers of a model: what the loop sends, what comes back and when it ends is what a plain program says (S2 and S3). */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { runInference, type InferenceMessage, type ModelRequest, type ModelResponse } from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from './support/property-runs.ts';

/** What a call does: it succeeds, its tool throws, its tool does not exist, or its arguments do not fit. */
type Kind = 'echo' | 'broken' | 'nowhere' | 'invalid';
interface Answer {
  readonly calls: readonly Kind[];
  readonly truncated: boolean;
  readonly valid: boolean;
}

const toolNameOf = (kind: Kind): string => (kind === 'invalid' ? 'echo' : kind);

const answers: fc.Arbitrary<readonly Answer[]> = fc.array(
  fc.record({
    // Attempts of a tool are counted by answers.
    calls: fc.uniqueArray(fc.constantFrom<Kind>('echo', 'broken', 'nowhere', 'invalid'), { maxLength: 3, selector: toolNameOf }),
    truncated: fc.constantFrom(false, false, false, false, true),
    valid: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const tools = [
  defineTool({ name: 'echo', description: 'Echoes.', input: schema, run: (args) => args }),
  defineTool({
    name: 'broken',
    retry: { maxAttempts: 1 },
    breaker: false,
    run: () => {
      throw new Error('Something went wrong');
    },
  }),
];

const idOf = (turn: number, index: number): string => `call_${turn}_${index}`;
/** Every call has arguments of its own: repetitions are another matter. */
const argumentsOf = (kind: Kind, turn: number, index: number): object =>
  kind === 'invalid' ? { m: turn * 10 + index } : { n: turn * 10 + index };
const replyOf = ({ calls, truncated, valid }: Answer, turn: number): ModelResponse => ({
  text: calls.length > 0 ? `thinking ${turn}` : valid ? `{"n":${turn}}` : `no ${turn}`,
  calls: calls.map((kind, index) => ({ callId: idOf(turn, index), toolName: toolNameOf(kind), arguments: argumentsOf(kind, turn, index) })),
  truncated,
});

interface Expected {
  readonly outcome: string;
  readonly turns: number;
  readonly contents: readonly (readonly [role: string, content: RegExp | string])[];
  /** How many messages each request had. */
  readonly sent: readonly number[];
}

/** The loop: an answer with calls gets their results, one without is the end. Three arguments, or outputs, in a row that do not fit end it, too. */
function plainLoop(script: readonly Answer[], maxTurns: number, wantsOutput: boolean): Expected {
  const contents: [string, RegExp | string][] = [['user', 'hi']];
  const sent: number[] = [];
  let [invalid, unread] = [0, 0];
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const answer = script[Math.min(turn, script.length - 1)] as Answer;
    sent.push(contents.length);
    contents.push(['assistant', replyOf(answer, turn).text ?? '']);
    const ends = (outcome: string): Expected => ({ outcome, turns: turn + 1, contents, sent });
    for (const [index, kind] of answer.calls.entries()) {
      if (kind === 'echo') {
        invalid = 0;
        contents.push(['tool', JSON.stringify(argumentsOf(kind, turn, index))]);
      } else if (kind === 'invalid') {
        invalid += 1;
        contents.push(['tool', invalid >= 3 ? /used up/u : new RegExp(`Required parameter 'n' missing.*attempt ${invalid} of 3`, 'su')]);
      } else contents.push(['tool', kind === 'broken' ? /Tool error: Something went wrong/u : /Unknown tool: nowhere/u]);
    }
    if (invalid >= 3) return ends('exhausted');
    if (answer.calls.length > 0) continue;
    if (answer.truncated) return ends('truncated');
    if (!wantsOutput || answer.valid) return ends('answered');
    unread += 1;
    contents.push(['user', unread >= 3 ? /used up/u : new RegExp(`attempt ${unread} of 3`, 'u')]);
    if (unread >= 3) return ends('exhausted');
  }
  return { outcome: 'max_turns', turns: maxTurns, contents, sent };
}

const contentsOf = (messages: readonly InferenceMessage[]): readonly (readonly [string, string])[] =>
  messages.map(({ role, content }) => [role, content]);

test(
  'answers of a model with and without calls',
  { tags: ['S2-loop', 'S3-loop', 'S3-invariant', 'S2-structured-output', 'S2-exhaustion'] },
  async () => {
    await fc.assert(
      fc.asyncProperty(answers, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (script, maxTurns, wantsOutput) => {
        // Half of an answer cut off is another matter: its calls are not run.
        const plain = script.map((answer) => (answer.calls.length > 0 ? { ...answer, truncated: false } : answer));
        const system = manualSystem();
        const service = new ToolExecutionService({ tools, system, seed: 'model' });
        const requests: ModelRequest[] = [];
        const model = (request: ModelRequest): ModelResponse => {
          requests.push(request);
          return replyOf(plain[Math.min(requests.length, plain.length) - 1] as Answer, requests.length - 1);
        };
        const result = await system.until(
          runInference({
            model,
            service,
            messages: [{ role: 'user', content: 'hi' }],
            maxTurns,
            maxIdenticalFailures: 1_000,
            maxRefusals: 1_000,
            timeoutMs: 60_000,
            ...(wantsOutput ? { output: schema } : {}),
          }),
        );
        const expected = plainLoop(plain, maxTurns, wantsOutput);
        expect({ outcome: result.outcome, turns: result.turns }).toEqual({ outcome: expected.outcome, turns: expected.turns });
        const contents = contentsOf(result.messages);
        expect(contents.map(([role]) => role)).toEqual(expected.contents.map(([role]) => role));
        for (const [index, [, content]] of expected.contents.entries()) expect(contents[index]?.[1]).toMatch(content);
        expect(requests.map(({ messages }) => messages.length)).toEqual(expected.sent);
        for (const { messages, tools: offered } of requests) {
          expect(messages).toEqual(result.messages.slice(0, messages.length));
          expect(offered.map(({ name }) => name)).toEqual(['echo', 'broken']);
        }
        const toolMessages = result.messages.filter((message) => message.role === 'tool');
        expect(result.calls).toBe(toolMessages.length);
        const made = result.messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
        expect(toolMessages.map(({ callId, toolName }) => [callId, toolName])).toEqual(
          made.map(({ callId, toolName }) => [callId, toolName]),
        );
        expect(toolMessages.map(({ isError }) => isError)).toEqual(
          made.map(({ toolName, arguments: given }) => toolName !== 'echo' || !('n' in (given as object))),
        );
        expect(result.text).toBe(replyOf(plain[Math.min(result.turns, plain.length) - 1] as Answer, result.turns - 1).text);
        expect(result.output).toEqual(wantsOutput && result.outcome === 'answered' ? { n: result.turns - 1 } : undefined);
        expect(result.exhausted?.attempts).toBe(result.outcome === 'exhausted' ? 3 : undefined);
        expect(result.error).toBeUndefined();
        // Feedback goes into the next request, once.
        const reported = requests.flatMap(({ feedback }) => feedback.map(({ toolName, attempt }) => [toolName, attempt]));
        expect(new Set(requests.flatMap(({ feedback }) => feedback)).size).toBe(reported.length);
        await service.close();
      }),
      propertyRuns(100),
    );
  },
);
