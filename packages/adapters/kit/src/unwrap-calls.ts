/** Owns answering a call that wraps others (`multi_tool_use.parallel`): the inner calls are run, and their answers joined to one for the wrapper. */
import type { ModelCall, ToolAnswer } from '@holdfast/core/agent';
import { unwrapCalls } from '@holdfast/wire';

/** A call as the model made it, and the calls to run for it: itself, or its inner calls. */
export interface UnwrappedCall {
  readonly call: ModelCall;
  readonly inside: readonly ModelCall[];
}

export function unwrapEach(calls: readonly ModelCall[], offered: readonly string[]): readonly UnwrappedCall[] {
  // The run reports a value that is not a call.
  return calls.map((call) => ({ call, inside: typeof call === 'object' && call !== null ? unwrapCalls([call], offered) : [call] }));
}

/** Joins the answers of the inner calls, given in order, to one answer per call of the model. */
export function rewrapAnswers(unwrapped: readonly UnwrappedCall[], answers: readonly ToolAnswer[]): readonly ToolAnswer[] {
  let next = 0;
  return unwrapped.flatMap(({ call, inside }) => {
    const own = answers.slice(next, (next += inside.length));
    return inside.length === 1 && inside[0] === call ? own : joinAnswers(call, own);
  });
}

/** The wrapper call fails only if all its inner calls failed. */
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
