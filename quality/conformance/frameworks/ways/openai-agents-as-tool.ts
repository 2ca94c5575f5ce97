/** Wraps every tool that is made by `agent.asTool()` of the OpenAI Agents SDK. */
import { reliableTools } from '@holdfast/openai-agents';
import { Agent } from '@openai/agents-core';

const { asTool } = Agent.prototype as unknown as { asTool: (this: unknown, ...args: unknown[]) => unknown };

Object.defineProperty(Agent.prototype, 'asTool', {
  configurable: true,
  writable: true,
  value(this: unknown, ...args: unknown[]) {
    return reliableTools([asTool.apply(this, args) as never]).startRun().tools[0];
  },
});
