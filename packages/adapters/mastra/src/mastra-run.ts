/** Owns one conversation: the settings of one call of an agent. */
import type { AgentRun, RunStopped } from '@holdfast/core/agent';
import { checkOptions, checkRule, listOf, type Rule } from '@holdfast/core/internal/plain';
import { aiSdkMessages, withProperties, type ParsedReliable } from '@holdfast/adapter-kit';
import type { AgentExecutionOptions } from '@mastra/core/agent';
import type { RunBinding } from './runs.ts';

/** The options of a run, to be passed to a call of an agent. */
export interface RunSettings {
  /** The id by which the tools find the run. */
  readonly runId: string;
}

/** The user's own settings of a loop, of which `maxSteps` or `stopWhen` is required. */
export interface OwnLoop {
  /** Maximum number of steps. */
  readonly maxSteps?: number | undefined;
  /** When the loop ends, if the run does not end it before. */
  readonly stopWhen?: AgentExecutionOptions<unknown>['stopWhen'];
  /** Called first, before each step. */
  readonly prepareStep?: AgentExecutionOptions<unknown>['prepareStep'] | undefined;
}

/** What a run does between the steps of a loop. */
export interface LoopSettings {
  /** The user's own limit. */
  readonly maxSteps?: number;
  /** The stop conditions: `run.stopped`, and the given ones. */
  readonly stopWhen: Extract<AgentExecutionOptions<unknown>['stopWhen'], readonly unknown[]>;
  /** Begins a new answer, and annotates or removes tools whose circuit is open, as `openCircuits` says. */
  readonly prepareStep: NonNullable<AgentExecutionOptions<unknown>['prepareStep']>;
}

/** One conversation. */
export interface MastraRun {
  /** The agent run that answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end; `undefined` if it should continue. */
  readonly stopped: RunStopped | undefined;
  /** Options for `generate` or `stream` of an agent, to be spread into them. They do not change its loop. */
  readonly settings: RunSettings;
  /** Options for a loop, to be spread into `generate` or `stream`: the user's own, with those of the run. */
  readonly loop: (own: OwnLoop) => LoopSettings;
  /** Repairs messages in the format of the AI SDK so that the provider accepts them; returns the same list if nothing was wrong. */
  readonly repair: <Messages extends readonly unknown[]>(messages: Messages) => Messages;
}

const stopRule: Rule = (value, field, guess) => {
  const rule = Array.isArray(value) ? listOf('function', '') : 'function';
  checkRule(rule, value, field, guess);
};

export function mastraRun(runId: string, binding: RunBinding, reliable: ParsedReliable): MastraRun {
  const { agentRun } = binding;
  return {
    agentRun,
    get stopped() {
      return agentRun.stopped;
    },
    settings: { runId },
    loop: (own) => {
      checkOptions({ maxSteps: ['an integer of at least 1', 1, Infinity, true], stopWhen: stopRule, prepareStep: 'function' }, own, 'loop');
      const { maxSteps, stopWhen = [], prepareStep } = own;
      if (maxSteps === undefined && own.stopWhen === undefined)
        throw new TypeError('loop needs maxSteps or stopWhen: without either, the agent would not stop on its own.');
      return {
        ...(maxSteps === undefined ? {} : { maxSteps }),
        stopWhen: [() => agentRun.stopped !== undefined, ...[stopWhen].flat()] as LoopSettings['stopWhen'],
        prepareStep: async (step) => {
          agentRun.endTurn(binding);
          const changes = (await prepareStep?.(step)) ?? {};
          return { ...changes, ...offer(agentRun, { ...step, ...changes }) };
        },
      };
    },
    repair: (messages) => reliable.repair({ messages }, aiSdkMessages, agentRun).messages,
  };
}

type Step = Pick<Parameters<LoopSettings['prepareStep']>[0], 'tools' | 'activeTools'>;

/** The tools of a step that should be offered differently. */
function offer(agentRun: AgentRun, { tools = {}, activeTools }: Step): Step {
  const all = tools as Readonly<Record<string, { readonly description?: string | undefined }>>;
  const names = activeTools ?? Object.keys(all);
  const before = names.map((name) => ({ name, description: all[name]?.description }));
  const offered = agentRun.advertise(before);
  if (offered === before) return {};
  const described = offered.flatMap(({ name, description }) => {
    const tool = all[name];
    return tool && tool.description !== description ? [[name, withProperties(tool, { description })] as const] : [];
  });
  return {
    ...(described.length > 0 ? { tools: { ...all, ...Object.fromEntries(described) } } : {}),
    ...(offered.length < names.length ? { activeTools: offered.map(({ name }) => name) } : {}),
  };
}
