/** An agent run on a manual clock, with a model that answers from a list. */
import type { AnyTool } from '@holdfast/core';
import { defineTool } from '@holdfast/core';
import type {
  AgentRunOptions,
  InferenceModel,
  ModelRequest,
  ModelResponse,
  SessionLogger,
  SessionOptions,
  Slices,
} from '@holdfast/core/agent';
import { AgentRun, Session } from '@holdfast/core/agent';
import type { ManualSystem } from '@holdfast/core/testing';
import { manualSystem } from '@holdfast/core/testing';
import type { Stage } from './stage.ts';
import { stage } from './stage.ts';

/** Takes a city and, optionally, one of two units. */
export const weather: AnyTool = defineTool({
  name: 'weather',
  input: { type: 'object', properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } }, required: ['city'] },
  run: ({ city }: { city: string }) => ({ city, degrees: 21 }),
});

export const wrong = { city: 'Oslo', unit: 'k' };
export const right = { city: 'Oslo', unit: 'c' };

export const call = (args: unknown, more: object = {}): { callId: string; toolName: string; arguments: unknown } => ({
  callId: 'call_1',
  toolName: 'weather',
  arguments: args,
  ...more,
});

export interface AgentStage extends Stage {
  readonly system: ManualSystem;
  readonly session: Session;
  readonly run: AgentRun;
  /** Answers one call, advancing the clock as needed; returns how long it took. */
  readonly answer: (
    args: unknown,
    more?: object,
  ) => Promise<{ text: string; tookMs: number; answer: Awaited<ReturnType<AgentRun['answer']>>[number] }>;
}

export interface AgentStageOptions<Own extends Slices> extends Omit<AgentRunOptions, 'service' | 'session'> {
  readonly tools?: readonly AnyTool[];
  readonly session?: SessionOptions<Own>;
}

export function agentStage<Own extends Slices>({ tools = [weather], session: own, ...options }: AgentStageOptions<Own> = {}): AgentStage {
  const system = manualSystem();
  const staged = stage(system, tools);
  const session = new Session<Own>({ system, correlationId: 'correlation-1', ...own });
  const run = new AgentRun({ ...options, service: staged.service, session });
  return {
    ...staged,
    system,
    session: session as unknown as Session,
    run,
    async answer(args, more) {
      const before = system.now();
      const [answer] = await system.until(run.answer([call(args, more)]));
      if (!answer) throw new Error('no answer');
      return { text: answer.text, tookMs: system.now() - before, answer };
    },
  };
}

export interface ScriptedModel {
  readonly model: InferenceModel;
  readonly requests: readonly ModelRequest[];
}

/** Answers from the list; repeats its last answer for ever. */
export function scriptedModel(...answers: readonly ModelResponse[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    model: (request) => {
      requests.push(request);
      return answers[Math.min(requests.length, answers.length) - 1] ?? {};
    },
  };
}

export interface LogEntry {
  readonly level: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export function listLogger(): { readonly logger: SessionLogger; readonly entries: readonly LogEntry[] } {
  const entries: LogEntry[] = [];
  const at = (level: string) => (details: Readonly<Record<string, unknown>>, text: string) => void entries.push({ level, details, text });
  return { entries, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}
