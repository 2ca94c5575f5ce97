/** Owns the types shared by this adapter. */
import type { BaseMessage } from '@langchain/core/messages';
import type { ClientTool, ServerTool } from '@langchain/core/tools';
import type { AgentMiddleware } from 'langchain';
import type { JsonSchema } from '@holdfast/core';
import type { AgentRun, ArgumentReader } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';

/** A tool made by `tool()`, a subclass of `StructuredTool`, or the definition of a tool run by the provider. */
export type LangChainTool = ClientTool | ServerTool;

/** A middleware without its own state, context or tools. */
export type ReliabilityMiddleware = AgentMiddleware<undefined, undefined, unknown, readonly [], readonly []>;

/** The context shared by all functions of this adapter. */
export interface AdapterContext {
  readonly reliable: Reliable;
  /** The tools that run here, not those run by the provider, each with the schema shown to the model. */
  readonly schemas: ReadonlyMap<string, JsonSchema | undefined>;
  readonly read: ArgumentReader;
  /** Whether calls of `tools` throw the own error of a tool that finally failed. */
  readonly throws: boolean;
  /** Finds the run of a conversation. */
  readonly runOf: (messages: readonly BaseMessage[]) => AgentRun;
  /** Associates an answer with a run. */
  readonly remember: (answer: BaseMessage, run: AgentRun) => void;
}
