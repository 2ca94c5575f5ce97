/** Wraps every tool that is made by `tool()` of the OpenAI Agents SDK. */
import { reliableTools } from '@holdfast/openai-agents';

export const tool = (): unknown => (options: never) => reliableTools([options]).startRun().tools[0];
