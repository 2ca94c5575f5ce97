/** Wraps the tools of `client.chat.completions.runTools`. */
import { reliableTools } from '@holdfast/openai';
import { OpenAI } from 'openai';

interface Body {
  readonly tools: readonly never[];
}
type RunTools = (this: unknown, body: Body, options: unknown) => unknown;
const completions = OpenAI.Chat.Completions.prototype as unknown as { runTools: RunTools };
const { runTools } = completions;

completions.runTools = function (body, options) {
  return runTools.call(this, { ...body, tools: reliableTools(body.tools).startRun().tools as never }, options);
};
