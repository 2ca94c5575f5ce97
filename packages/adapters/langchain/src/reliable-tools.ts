/** Owns the entry: tools in, and what serves all conversations of a program; a run of one's own where one is wanted. */
import type { AnySession, ArgumentReader } from '@holdfast/core/agent';
import type { ReliableOptions } from '@holdfast/adapter-kit';
import { Reliable } from '@holdfast/adapter-kit';
import { readArguments } from '@holdfast/wire';
import { Conversations } from './conversations.ts';
import type { Scene } from './langchain-tools.ts';
import { LangChainRun, LangChainTools } from './langchain-tools.ts';
import type { LangChainTool } from './tools.ts';
import { clientTools, schemaOf, sourceOf } from './tools.ts';

/** Tools that every conversation of a program shares, with their circuits. */
export class ReliableTools<Tool extends LangChainTool = LangChainTool> extends LangChainTools<Tool> {
  /** Begins a run of one's own: with a session, or to read its `stopped`. */
  startRun({ session }: { readonly session?: AnySession | undefined } = {}): LangChainRun<Tool> {
    return new LangChainRun(this.scene, this.scene.reliable.startRun(session));
  }
}

/** @throws TypeError | RangeError naming the tool or option, its value and the mend. */
export function reliableTools<Tool extends LangChainTool>(tools: readonly Tool[], options: ReliableOptions = {}): ReliableTools<Tool> {
  const known = clientTools(tools);
  const reader = options.readArguments ?? readArguments;
  const read: ArgumentReader = (request) => reader({ ...request, schema: request.schema ?? schemaOf(known.get(request.toolName)) });
  const reliable = new Reliable([...known.values()].map(sourceOf), { ...options, readArguments: read });
  const conversations = new Conversations(() => reliable.startRun());
  return new ReliableTools({ reliable, given: tools, known, read, conversations } satisfies Scene<Tool>);
}
