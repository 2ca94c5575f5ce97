/** Owns what the Turn API is made of: the parts it works with, and its limits. */
import type { Redactor, ToolExecutionService } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import type { McpServerStatus } from '@holdfast/runners';
import type { Alerts } from '../alerts/alerts.ts';
import type { TurnEngine } from '../engine/turn-engine.ts';
import type { History } from '../history/history.ts';
import type { ToolSource } from '../contract.ts';
import type { StoreTail } from '../tail/store-tail.ts';
import type { Announce } from '../operation/announcement.ts';

/** The part of the engine that the API uses. */
export type ApiService = Pick<
  ToolExecutionService,
  'executeTool' | 'executeTurn' | 'getToolMetrics' | 'getToolHealth' | 'getToolSettings' | 'controlCircuit' | 'subscribe' | 'tools'
>;

/** The part of the catalog that the API uses. */
interface OfferedTools {
  /** Resolves when every server has been asked for its tools once, or had its time. @default they are known from the beginning */
  ready?(): Promise<void>;
  /** Why a tool that a server has is not offered. */
  withheld?(name: string): string | undefined;
  get(
    name: string,
  ): { readonly definition: Readonly<Record<string, unknown>>; readonly source: ToolSource; readonly degraded: boolean } | undefined;
}

export interface UpstreamFacts {
  readonly name: string;
  readonly status: McpServerStatus & { readonly stderrTail?: string };
}

/** What health and readiness are told from. */
export interface HealthParts {
  readonly store?: Pick<Store, 'status'> | undefined;
  readonly upstreams?: (() => readonly UpstreamFacts[]) | undefined;
  readonly isDraining?: (() => boolean) | undefined;
  /** @default the built-in rules */
  readonly redact?: Redactor | undefined;
}

export interface ApiParts extends HealthParts {
  readonly service: ApiService;
  /** Where turns are found that are no longer running. @default only the latest turns of this API are known */
  readonly store?: Store | undefined;
  readonly catalog?: OfferedTools | undefined;
  /** Runs the turns, so that they outlive this process. @default they run here */
  readonly engine?: TurnEngine | undefined;
  /** The deadline of turns that have none of their own. @default none */
  readonly turnTimeoutMs?: number | undefined;
  /** What other processes append to the store. @default it is looked for now and then */
  readonly tail?: StoreTail | undefined;
  /** Told before a call or a turn is run. */
  readonly announce?: Announce | undefined;
  /** @default none are watched for */
  readonly alerts?: Alerts | undefined;
  /** What was. @default nothing is known of it */
  readonly past?: History | undefined;
  /** Answers a scrape. @default nothing is measured */
  readonly metrics?: ((request: Request) => Response) | undefined;
  /** Nobody is let in without a token. @default false */
  readonly needsToken?: boolean | undefined;
  readonly limits?: Partial<ApiLimits> | undefined;
}

export interface ApiLimits {
  /** Larger bodies are refused. @default 4194304 */
  readonly bodyBytes: number;
  /** JSON that nests deeper is refused. @default 100 */
  readonly bodyDepth: number;
  /** Calls of one plan. @default 1000 */
  readonly planCalls: number;
  /** Values and keys of one plan, about; in YAML lines too. @default 30000 */
  readonly planParts: number;
  /** Turns of this API that run at once. @default 100 */
  readonly runningTurns: number;
  /** Single calls of this API that run at once. @default 1000 */
  readonly runningCalls: number;
  /** Streams of events that are open at once. @default 200 */
  readonly streams: number;
  /** What-ifs and exports that are worked out at once. @default 4 */
  readonly turnTasks: number;
  /** Those of a turn with more events are refused. @default 20000 */
  readonly turnTaskEvents: number;
  /** A reader that takes nothing for this long while there is something is sent away to resume. @default 30000 */
  readonly slowReaderMs: number;
  /** A comment is sent after this long without an event. @default 15000 */
  readonly heartbeatMs: number;
  /** Outputs beyond this are left out of one answer and marked, in characters of JSON. @default 33554432 */
  readonly answerChars: number;
  /** Answers that are kept for clients that ask again, in characters of JSON. @default 16777216 */
  readonly keptAnswerChars: number;
  /** How long such an answer is kept. @default 900000 */
  readonly keptAnswerMs: number;
}

/** Who asks; the name of the token, never the token. */
export interface Caller {
  readonly principal?: string | undefined;
}

export interface Api {
  /** Never rejects. A path that is not the API's is answered 404. */
  fetch(request: Request, caller: Caller): Promise<Response>;
  /** Nothing new begins; what runs may end within the limit, the rest is cancelled; then streams are ended. */
  drain(limitMs: number): Promise<void>;
}
