/** Owns the types that everything here shares. */
import type { BaseMessage } from '@langchain/core/messages';
import type { ClientTool, ServerTool } from '@langchain/core/tools';
import type { AgentMiddleware } from 'langchain';
import type { JsonSchema } from '@holdfast/core';
import type { AgentRun, ArgumentReader } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';

/** A tool made by `tool()`, a subclass of `StructuredTool`, or a definition that the provider runs itself. */
export type LangChainTool = ClientTool | ServerTool;

/** A middleware without a state, a context or tools of its own. */
export type ReliabilityMiddleware = AgentMiddleware<undefined, undefined, unknown, readonly [], readonly []>;

/** What everything here works with. */
export interface AdapterContext {
  readonly reliable: Reliable;
  /** The tools that run here, each with the schema that the model is shown: not the provider's own. */
  readonly schemas: ReadonlyMap<string, JsonSchema | undefined>;
  readonly read: ArgumentReader;
  /** The run that a conversation is in. */
  readonly runOf: (messages: readonly BaseMessage[]) => AgentRun;
  /** This answer was made in this run. */
  readonly remember: (answer: BaseMessage, run: AgentRun) => void;
}
