/** Owns the types of a world: agents and their calls, the services behind them, and the faults. Plain JSON data, without behaviour. */
import type { Effect } from '@holdfast/core';
import type { Distribution } from './distribution.ts';
import type { WorldFault } from './fault.ts';
import type { RateLimit, TokenBucket } from './limit-types.ts';

/** Agents, their tools, the services behind them and their faults. */
export interface World {
  /** Name of the world in tables and reports. */
  readonly name: string;
  /** What the world shows, for reports. @default none */
  readonly description?: string;
  /** Turns begin until then; open ones run to their end. */
  readonly durationMs: number;
  /**
   * Processes that the agents are spread over. They share nothing: each has its own client, with its own limits, circuits, budgets and memory.
   * Arrivals, durations and faults are the same for any number. @default 1
   */
  readonly processes?: number;
  /** Groups of agents. At least one. */
  readonly agents: readonly AgentGroup[];
  /** By name. */
  readonly services: Readonly<Record<string, Service>>;
  /** By name. */
  readonly tools: Readonly<Record<string, WorldTool>>;
  /** What goes wrong, and when. */
  readonly faults: readonly WorldFault[];
}

/** A service that answers the requests of tools: first come, first served. Work whose caller has given up is still done. */
export interface Service {
  /** Requests that one replica works on at a time. */
  readonly servers: number;
  /** Requests that may wait at one replica; further ones are answered `503` in 20 ms. @default 1000 */
  readonly queue?: number;
  /** How long a server works on a request. */
  readonly latency: Distribution;
  /** Each request goes to a random one. @default 1 */
  readonly replicas?: number;
  /** Services on one host share its faults. */
  readonly host?: string;
  /** Counted in consecutive windows; further requests are answered `429` with `Retry-After` in 10 ms. */
  readonly rateLimit?: RateLimit;
  /** Each request takes a token; without one it is answered `429` with `Retry-After` in 10 ms. */
  readonly tokenBucket?: TokenBucket;
}

/** A tool that agents call, and the service behind it. */
export interface WorldTool {
  /** The name of the service that answers it. */
  readonly service: string;
  /** @default 'read' */
  readonly effect?: Effect;
  /** Alternative tools, in order of preference. @default [] */
  readonly alternatives?: readonly string[];
  /** How long callers wait for one answer. `Infinity`: as long as the turn has time. @default 5000 */
  readonly timeoutMs?: number;
  /** Work time, if it differs from the service's. */
  readonly latency?: Distribution;
}

/** A group of identical agents. */
export interface AgentGroup {
  /** How many agents the group has. */
  readonly count: number;
  /** When turns begin. */
  readonly arrivals: Arrivals;
  /** The calls of each turn. */
  readonly turn: readonly TurnCall[];
  /** From the start of a turn until its callers give up. */
  readonly deadlineMs: number;
}

/** When the turns of a group begin: at a rate of their own, or after the turns before them. */
export type Arrivals =
  /** Turns begin at random, independently of earlier ones. The rate is that of the whole group, on average. */
  | { readonly kind: 'open'; readonly ratePerSecond: number; readonly burst?: Burst }
  /** An agent begins its next turn after a think time. */
  | { readonly kind: 'closed'; readonly think: Distribution };

/** Periods with a higher rate; the average stays the same. */
export interface Burst {
  /** From the start of one burst to the start of the next. */
  readonly every: Distribution;
  /** How long one lasts. */
  readonly lasts: Distribution;
  /** The rate within a burst. */
  readonly ratePerSecond: number;
}

/** One call of a turn's plan. */
export interface TurnCall {
  /** @default the tool's name, with its number if it is called more than once */
  readonly callId?: string;
  /** Name of the tool to call. */
  readonly toolName: string;
  /** Ids of the calls whose outputs this call needs. @default [] */
  readonly dependsOn?: readonly string[];
  /** The turn can succeed without it. @default false */
  readonly optional?: boolean;
  /** The turn is worthless without it. @default false */
  readonly critical?: boolean;
}
