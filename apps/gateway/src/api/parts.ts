/** Owns the types of the Turn API: the parts it is made of, and its limits. */
import type { Redactor, ToolExecutionService } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import type { McpServerStatus } from '@holdfast/runners';
import type { Access } from '../access/access.ts';
import type { ClientCircuits } from '../access/client-circuits.ts';
import type { Alerts } from '../alerts/alerts.ts';
import type { TurnEngine } from '../engine/turn-engine.ts';
import type { ComingTools } from '../catalog/find-tool.ts';
import type { History } from '../history/history.ts';
import type { ToolSource } from '../contract.ts';
import type { ServerLogins } from '../server-logins/server-logins.ts';
import type { StoreTail } from '../tail/store-tail.ts';
import type { Announce } from '../operation/announcement.ts';

/** The part of the engine that the API uses. */
export type ApiService = Pick<
  ToolExecutionService,
  'executeTool' | 'executeTurn' | 'getToolMetrics' | 'getToolHealth' | 'getToolSettings' | 'controlCircuit' | 'subscribe' | 'tools'
>;

/** The part of the catalog that the API uses. */
interface OfferedTools extends ComingTools {
  get(
    name: string,
  ): { readonly definition: Readonly<Record<string, unknown>>; readonly source: ToolSource; readonly degraded: boolean } | undefined;
}

export interface UpstreamFacts {
  readonly name: string;
  readonly status: McpServerStatus & {
    readonly stderrTail?: string;
    readonly loginRequired?: string;
    readonly loginsMissing?: readonly string[];
    readonly withheldTools?: object;
  };
}

/** The parts that health and readiness are read from. */
export interface HealthParts {
  readonly store?: Pick<Store, 'status'> | undefined;
  readonly upstreams?: (() => readonly UpstreamFacts[]) | undefined;
  readonly isDraining?: (() => boolean) | undefined;
  /** @default the built-in rules */
  readonly redact?: Redactor | undefined;
}

export interface ApiParts extends HealthParts {
  readonly service: ApiService;
  /** Where turns that have ended are found. @default only the latest turns of this API are kept */
  readonly store?: Store | undefined;
  readonly catalog?: OfferedTools | undefined;
  /** Whose circuits calls use. @default every tool has one circuit */
  readonly circuits?: Pick<ClientCircuits, 'of'> | undefined;
  /** Runs the turns, so that they outlive this process. @default they run in this process */
  readonly engine?: TurnEngine | undefined;
  /** The deadline of turns that set none. @default none */
  readonly turnTimeoutMs?: number | undefined;
  /** Reports what other processes append to the store. @default the store is polled */
  readonly tail?: StoreTail | undefined;
  /** Called before a call or a turn runs. */
  readonly announce?: Announce | undefined;
  /** @default no alerts */
  readonly alerts?: Alerts | undefined;
  /** Logins at servers. @default there are none */
  readonly logins?: Pick<ServerLogins, 'isNeeded' | 'list' | 'begin' | 'end'> | undefined;
  /** History of tools, circuits and failures. @default none: its routes answer 503 */
  readonly past?: History | undefined;
  /** Answers a scrape. @default none: `/metrics` answers 404 */
  readonly metrics?: ((request: Request) => Response) | undefined;
  /** Every request requires a token. @default false */
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
  /** Approximate number of values and keys of one plan; of a YAML plan also the number of lines. @default 30000 */
  readonly planParts: number;
  /** Turns of this API that run at the same time. @default 100 */
  readonly runningTurns: number;
  /** Single calls of this API that run at the same time. @default 1000 */
  readonly runningCalls: number;
  /** Event streams that are open at the same time. @default 200 */
  readonly streams: number;
  /** What-ifs and exports that are computed at the same time. @default 4 */
  readonly turnTasks: number;
  /** What-ifs and exports of a turn with more events are refused. @default 20000 */
  readonly turnTaskEvents: number;
  /** A stream whose client reads nothing for this long while events are waiting is ended with `event: resume`. @default 30000 */
  readonly slowReaderMs: number;
  /** A comment is sent after this long without an event. @default 15000 */
  readonly heartbeatMs: number;
  /** Outputs beyond this many characters of JSON are left out of an answer and marked. @default 33554432 */
  readonly answerChars: number;
  /** Size of the answers that are kept for clients that repeat a request, in characters of JSON. @default 16777216 */
  readonly keptAnswerChars: number;
  /** How long such an answer is kept. @default 900000 */
  readonly keptAnswerMs: number;
}

/** The client that sent a request: the name of its token, never the token. */
export interface Caller {
  readonly principal?: string | undefined;
  /** @default that of the only client of a gateway */
  readonly access?: Access | undefined;
}

export interface Api {
  /** Never rejects. A path that is not the API's is answered 404. */
  fetch(request: Request, caller: Caller): Promise<Response>;
  /** Accepts no new work, waits for what runs within the limit, cancels the rest, then ends all streams. */
  drain(limitMs: number): Promise<void>;
}
