/** Whole answers of providers, and answers that lack one thing: what is read is what the model said, in every format. */
/* oxlint-disable vitest/no-conditional-expect -- the answer says what is expected */
import { ResponseValidationMiddleware } from '@holdfast/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toolNames, type ProviderFormat } from './support/conversation.ts';
import { propertyRuns } from './support/property-runs.ts';

interface Said {
  /** Whether the model had ended, was cut off, or the answer does not say. */
  readonly end: 'whole' | 'cut_off' | 'none';
  readonly texts: readonly string[];
  readonly calls: readonly { readonly callId: string; readonly tool: string; readonly city: string }[];
}
type Write = (said: Said) => object;

/** The reason why an answer ended, as a provider writes it. */
const reasonOf = ({ end, calls }: Said, stop: string, ofCalls: string, cutOff: string): string | undefined =>
  ({ whole: calls.length > 0 ? ofCalls : stop, cut_off: cutOff, none: undefined })[end];

const argumentsOf = (city: string): object => ({ city });

const writers: Readonly<Record<ProviderFormat, Write>> = {
  'openai-chat': (said) => ({
    choices: [
      {
        finish_reason: reasonOf(said, 'stop', 'tool_calls', 'length'),
        message: {
          role: 'assistant',
          content: said.texts.length === 0 ? null : said.texts.join(''),
          ...(said.calls.length === 0
            ? {}
            : {
                tool_calls: said.calls.map(({ callId, tool, city }) => ({
                  id: callId,
                  type: 'function',
                  function: { name: tool, arguments: JSON.stringify(argumentsOf(city)) },
                })),
              }),
        },
      },
    ],
  }),
  'openai-responses': (said) => ({
    object: 'response',
    status: reasonOf(said, 'completed', 'completed', 'incomplete'),
    ...(said.end === 'cut_off' ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
    output: [
      ...(said.texts.length === 0
        ? []
        : [{ type: 'message', role: 'assistant', content: said.texts.map((text) => ({ type: 'output_text', text, annotations: [] })) }]),
      ...said.calls.map(({ callId, tool, city }) => ({
        type: 'function_call',
        call_id: callId,
        name: tool,
        arguments: JSON.stringify(argumentsOf(city)),
      })),
    ],
  }),
  'anthropic-messages': (said) => ({
    type: 'message',
    role: 'assistant',
    stop_reason: reasonOf(said, 'end_turn', 'tool_use', 'max_tokens'),
    content: [
      ...said.texts.map((text) => ({ type: 'text', text })),
      ...said.calls.map(({ callId, tool, city }) => ({ type: 'tool_use', id: callId, name: tool, input: argumentsOf(city) })),
    ],
  }),
  gemini: (said) => ({
    candidates: [
      {
        finishReason: reasonOf(said, 'STOP', 'STOP', 'MAX_TOKENS'),
        content: {
          role: 'model',
          parts: [
            ...said.texts.map((text) => ({ text })),
            ...said.calls.map(({ callId, tool, city }) => ({ functionCall: { id: callId, name: tool, args: argumentsOf(city) } })),
          ],
        },
      },
    ],
  }),
  'bedrock-converse': (said) => ({
    stopReason: reasonOf(said, 'end_turn', 'tool_use', 'max_tokens'),
    output: {
      message: {
        role: 'assistant',
        content: [
          ...said.texts.map((text) => ({ text })),
          ...said.calls.map(({ callId, tool, city }) => ({ toolUse: { toolUseId: callId, name: tool, input: argumentsOf(city) } })),
        ],
      },
    },
  }),
};

const answers: fc.Arbitrary<Said> = fc
  .record({
    end: fc.constantFrom('whole' as const, 'whole' as const, 'cut_off' as const, 'none' as const),
    texts: fc.array(fc.constantFrom('Let me see.', ' ', 'It is 21 degrees.'), { maxLength: 3 }),
    tools: fc.array(fc.tuple(fc.constantFrom(...toolNames), fc.constantFrom('Oslo', 'Rome')), { maxLength: 3 }),
  })
  .map(({ end, texts, tools }) => ({ end, texts, calls: tools.map(([tool, city], index) => ({ callId: `call_${index}`, tool, city })) }));

describe.each(Object.entries(writers))('an answer in the format %s', (name, write) => {
  const format = name as ProviderFormat;

  test('is read as it was said, with or without its format', { tags: ['S4-response-validation', 'S4-flow'] }, () => {
    fc.assert(
      fc.property(answers, fc.boolean(), (said, isNamed) => {
        // Without an end, only its format says what it is.
        const own = isNamed || said.end !== 'whole' ? { format } : {};
        const middleware = new ResponseValidationMiddleware({ tools: toolNames, ...own });
        const { valid, problems, text, calls, truncated, ready } = middleware.validateResponse(write(said));
        const [hasCalls, isWhole] = [said.calls.length > 0, said.end === 'whole'];
        const isLost = !isWhole && !hasCalls && said.texts.length === 0;
        expect({ valid, rules: problems.map(({ rule }) => rule), truncated, ready }).toEqual({
          valid: isWhole || (!hasCalls && !isLost),
          rules: isLost ? ['response-shape'] : isWhole || !hasCalls ? [] : [said.end === 'cut_off' ? 'truncated' : 'finish-reason'],
          truncated: said.end === 'cut_off' || (said.end === 'none' && hasCalls),
          ready: isWhole && hasCalls,
        });
        expect(text).toBe(said.texts.join(''));
        expect(
          calls.map(({ callId, toolName, arguments: given }) => [
            callId,
            toolName,
            typeof given === 'string' ? (JSON.parse(given) as object) : given,
          ]),
        ).toEqual(said.calls.map(({ callId, tool, city }) => [callId, tool, argumentsOf(city)]));
      }),
      propertyRuns(100),
    );
  });

  test('that calls a tool that was not offered is not valid, and the call is named', { tags: ['S4-response-validation'] }, () => {
    fc.assert(
      fc.property(answers, fc.constantFrom(...toolNames), (said, withheld) => {
        const middleware = new ResponseValidationMiddleware({ format, tools: toolNames.filter((tool) => tool !== withheld) });
        const alien = said.calls.filter(({ tool }) => tool === withheld);
        const { valid, problems } = middleware.validateResponse(write(said));
        const unknown = problems.filter(({ rule }) => rule === 'unknown-tool');
        expect(unknown).toHaveLength(alien.length);
        if (alien.length > 0) expect(valid).toBe(false);
        for (const { message } of unknown) expect(message).toContain(`'${withheld}'`);
      }),
      propertyRuns(50),
    );
  });
});
