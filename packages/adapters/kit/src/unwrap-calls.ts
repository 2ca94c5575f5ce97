/** Owns answering a call that wraps others (`multi_tool_use.parallel`): what is inside is run, and answered as the one call that the model made. */
import type { ModelCall, ToolAnswer } from '@holdfast/core/agent';
import { unwrapCalls } from '@holdfast/wire';

/** A call as the model made it, and the calls to be run for it: itself, or those inside of it. */
export interface UnwrappedCall {
  readonly call: ModelCall;
  readonly inside: readonly ModelCall[];
}

export function unwrapEach(calls: readonly ModelCall[], offered: readonly string[]): readonly UnwrappedCall[] {
  // What is no call at all is answered as such by the run.
  return calls.map((call) => ({ call, inside: typeof call === 'object' && call !== null ? unwrapCalls([call], offered) : [call] }));
}

/** One answer per call of the model. `answers` are those of the calls inside, in order. */
export function rewrapAnswers(unwrapped: readonly UnwrappedCall[], answers: readonly ToolAnswer[]): readonly ToolAnswer[] {
  let next = 0;
  return unwrapped.flatMap(({ call, inside }) => {
    const own = answers.slice(next, (next += inside.length));
    return inside.length === 1 && inside[0] === call ? own : joinAnswers(call, own);
  });
}

/** It failed only when everything in it did. */
function joinAnswers({ toolName, callId, arguments: args }: ModelCall, answers: readonly ToolAnswer[]): readonly ToolAnswer[] {
  const first = answers.find(({ isError }) => !isError) ?? answers[0];
  if (!first) return [];
  return [
    {
      callId,
      toolName,
      result: { ...first.result, toolName, callId },
      text: answers.map((answer) => `${answer.toolName}: ${answer.text}`).join('\n\n'),
      isError: first.isError,
      arguments: args,
      repairs: [],
    },
  ];
}
