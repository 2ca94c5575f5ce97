/** Owns what a run must not show: turns that are lost, hang, stay interrupted or lack outputs, and calls that were made twice without right. */
import type { Requests } from './tools.ts';
import type { Plan, TurnClient, TurnDetail } from './turns.ts';

/** The ids of turns, or of calls, in which it was seen. */
export interface Findings {
  /** The gateway does not know the turn. */
  readonly lost: readonly string[];
  /** It has not ended. */
  readonly running: readonly string[];
  readonly interrupted: readonly string[];
  /** Completed, without a report or without the output of a call that succeeded. */
  readonly withoutOutputs: readonly string[];
  /** The record has no end, or a gap. */
  readonly incompleteRecords: readonly string[];
  /** The list shows another state than the turn. */
  readonly listedOtherwise: readonly string[];
  /** The list of the dashboard, by facts of the history, lacks the turn or shows another state. */
  readonly missingInDashboard: readonly string[];
}

export interface Repetitions {
  /** Calls of `pay` that arrived more than once. */
  readonly unsafeRepeated: readonly string[];
  /** Calls that arrived under two keys. */
  readonly underTwoKeys: readonly string[];
  /** Calls that arrived more often than the report has attempts, and that the record does not explain by a take-over. */
  readonly unexplained: readonly string[];
  /** First calls that were repeated because their worker was lost before the start of the turn was journaled: nothing of it is in the record. */
  readonly repeatedBeforeStart: number;
  /** Calls that were repeated under their key, with an explanation. */
  readonly repeated: number;
  /** Calls of `pay` whose outcome was reported as unknown. */
  readonly unknownOutcomes: number;
}

export type Details = ReadonlyMap<string, TurnDetail | undefined>;

const parallel = 8;

export async function readAll(client: TurnClient, plans: readonly Plan[]): Promise<Details> {
  const details = new Map<string, TurnDetail | undefined>();
  const waiting = [...plans];
  const read = async (): Promise<void> => {
    for (let plan = waiting.shift(); plan; plan = waiting.shift()) details.set(plan.turn_id, await client.detail(plan.turn_id));
  };
  await Promise.all(Array.from({ length: parallel }, read));
  return details;
}

export async function findingsOf(client: TurnClient, plans: readonly Plan[], details: Details): Promise<Findings> {
  const [listed, dashboard] = await Promise.all([client.list(), client.list('&q=turn-')]);
  const where = (is: (detail: TurnDetail, turnId: string) => boolean): readonly string[] =>
    plans.flatMap(({ turn_id: turnId }) => {
      const detail = details.get(turnId);
      return detail && is(detail, turnId) ? [turnId] : [];
    });
  return {
    lost: plans.flatMap(({ turn_id: turnId }) => (details.get(turnId) === undefined ? [turnId] : [])),
    running: where(({ state }) => state === 'running'),
    interrupted: where(({ state }) => state === 'interrupted'),
    withoutOutputs: where((detail) => detail.state === 'completed' && !hasOutputs(detail)),
    incompleteRecords: where((detail) => detail.state === 'completed' && !isComplete(detail)),
    listedOtherwise: where(({ state }, turnId) => listed.get(turnId) !== state),
    missingInDashboard: where(({ state }, turnId) => dashboard.get(turnId) !== state),
  };
}

const hasOutputs = ({ report }: TurnDetail): boolean =>
  report !== undefined &&
  report.results.length > 0 &&
  report.results.every(({ status, output }) => status !== 'success' || output !== undefined);

const isComplete = ({ events }: TurnDetail): boolean =>
  events.every(({ seq }, index) => seq === index + 1) && events.some(({ event_type: type }) => type === 'TurnCompleted');

export function repetitionsOf(plans: readonly Plan[], details: Details, requests: Requests): Repetitions {
  const found = {
    unsafeRepeated: [] as string[],
    underTwoKeys: [] as string[],
    unexplained: [] as string[],
    repeated: 0,
    repeatedBeforeStart: 0,
    unknownOutcomes: 0,
  };
  for (const { turn_id: turnId, calls } of plans) {
    const { report, events = [] } = details.get(turnId) ?? {};
    for (const { call_id: callId, tool_id: toolName, depends_on: dependsOn } of calls) {
      const name = `${turnId} ${callId}`;
      const keys = requests.get(name) ?? new Map<string, number>();
      const times = Math.max(0, ...keys.values());
      const result = report?.results.find((each) => each.call_id === callId);
      if (keys.size > 1) found.underTwoKeys.push(name);
      if (toolName === 'pay' && times > 1) found.unsafeRepeated.push(name);
      if (result?.error?.code === 'OUTCOME_UNKNOWN') found.unknownOutcomes += 1;
      if (toolName === 'pay' || result === undefined || times <= (result.attempts ?? 0)) continue;
      if (events.some(({ repeated }) => repeated?.includes(callId) === true)) found.repeated += 1;
      else if (dependsOn.length === 0) found.repeatedBeforeStart += 1;
      else found.unexplained.push(name);
    }
  }
  return found;
}
