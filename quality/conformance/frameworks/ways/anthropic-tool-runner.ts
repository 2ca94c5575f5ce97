/** Wraps the tools of `client.beta.messages.toolRunner`. */
import { Anthropic } from '@anthropic-ai/sdk';
import { reliableTools } from '@holdfast/anthropic';

interface Body {
  readonly tools: readonly never[];
}
type ToolRunner = (this: unknown, body: Body, options: unknown) => unknown;
const messages = Anthropic.Beta.Messages.prototype as unknown as { toolRunner: ToolRunner };
const { toolRunner } = messages;

messages.toolRunner = function (body, options) {
  return toolRunner.call(this, { ...body, tools: reliableTools(body.tools).startRun().tools as never }, options);
};
