/** The two tested versions of the SDK, with the types of the newer one. */
import { createOpenAI as createOpenAI3 } from '@ai-sdk/openai-3';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, jsonSchema, streamText, tool, ToolLoopAgent } from 'ai';
import * as ai6 from 'ai-6';

/** The common part of both versions. */
export interface Sdk {
  readonly version: string;
  readonly generateText: typeof generateText;
  readonly streamText: typeof streamText;
  readonly ToolLoopAgent: typeof ToolLoopAgent;
  readonly tool: typeof tool;
  readonly jsonSchema: typeof jsonSchema;
  readonly createOpenAI: typeof createOpenAI;
  readonly stepCount: typeof isStepCount;
}

export const sdk7: Sdk = { version: '7', ToolLoopAgent, generateText, streamText, tool, jsonSchema, createOpenAI, stepCount: isStepCount };
export const sdk6 = { version: '6', ...ai6, createOpenAI: createOpenAI3, stepCount: ai6.stepCountIs } as unknown as Sdk;
