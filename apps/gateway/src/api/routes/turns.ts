/** Owns `/v1/turns`: running, listing, reading and cancelling turns. */
import { suggest } from '@holdfast/core/internal/plain';
import type { TracedReport, CancelledTurn, StoppedBetween, TurnDetail, TurnReport, TurnState } from '../../contract.ts';
import { toIso } from '../../plain/iso-time.ts';
import { readBody } from '../body.ts';
import { accessOfCaller, admitCalls, mayAct, ownTurnId, seenTurnId, turnFilterOf, unknownAlternative } from '../may-act.ts';
import { notNow, type Refusal, refuse } from '../problem.ts';
import { planReference } from '../schemas/json-schemas.ts';
import { anyReport } from '../schemas/results.ts';
import {
  detailQuery,
  keyHeaders,
  runQuery,
  turnAccepted,
  turnCancelled,
  turnDetail,
  turnFilter,
  turnPage,
  turnParams,
} from '../schemas/turns.ts';
import type { TurnAnswer } from '../turns/api-turns.ts';
import { concealReport, concealReportText } from '../turns/conceal-report.ts';
import { findTurn, type FoundTurn } from '../turns/find-turn.ts';
import { readPlan, turnIdRefusal } from '../turns/read-plan.ts';
import { tracedReport } from '../turns/traced-report.ts';
import { filtersByFacts, listTurns } from '../turns/turn-list.ts';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, json, jsonAnswer, parameters, refusals, readValid } from './route.ts';

export function turnRoutes(parts: RouteParts): readonly ApiRoute[] {
  return [runRoute(parts), listRoute(parts), getRoute(parts), cancelRoute(parts)];
}

function runRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'post',
      path: '/v1/turns',
      operationId: 'runTurn',
      tags: ['turns'],
      summary: 'Run a turn',
      description: [
        'Runs a plan with the format of a turn file. Responds with the report when the turn has ended, regardless of its outcome; with `wait=false`, responds immediately.',
        'A plan with an `id`, or sent with an `Idempotency-Key`, runs once: a repeated request waits for the same turn, or gets its report.',
        'A turn continues if its client disconnects.',
      ].join(' '),
      request: {
        query: parameters(runQuery),
        headers: parameters(keyHeaders),
        body: {
          required: true,
          content: { 'application/json': { schema: planReference }, 'application/yaml': { schema: planReference } },
        },
      },
      responses: {
        200: jsonAnswer(anyReport, 'The report of the turn.'),
        202: jsonAnswer(turnAccepted, 'The turn is running. `Location` is its URL.'),
        ...refusals(400, 409, 413, 415, 422, 429, 503),
      },
    },
    needs: 'call',
    answer: (context) => run(context, parts),
  };
}

function listRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/turns',
      operationId: 'listTurns',
      tags: ['turns'],
      summary: 'List recorded turns, newest first',
      request: { query: parameters(turnFilter) },
      responses: { 200: jsonAnswer(turnPage, 'A page of turns.'), ...refusals(400, 503) },
    },
    answer: async (context) => {
      const filter = readValid(context, 'query', turnFilter);
      if (!parts.api.past && filtersByFacts(filter))
        return refuse(notNow(503, 'NO_HISTORY', 'This gateway keeps no history'), parts.redact);
      const page = await listTurns(parts.history, { ...filter, isSeen: turnFilterOf(context.env.caller) }, parts.api.past);
      return unreadable(parts) ?? json(page);
    },
  };
}

function getRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/turns/{turn_id}',
      operationId: 'getTurn',
      tags: ['turns'],
      summary: 'Get a turn: its report and its events',
      request: { params: parameters(turnParams), query: parameters(detailQuery) },
      responses: { 200: jsonAnswer(turnDetail, 'The turn.'), ...refusals(400, 404, 503) },
    },
    answer: (context) => getTurn(context, parts),
  };
}

function cancelRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'post',
      path: '/v1/turns/{turn_id}/cancel',
      operationId: 'cancelTurn',
      tags: ['turns'],
      summary: 'Cancel a running turn',
      description: 'Finished calls keep their results. Cancelling twice has no further effect.',
      request: { params: parameters(turnParams) },
      responses: { 200: jsonAnswer(turnCancelled, 'The cancelled turn.'), ...refusals(404, 409, 503) },
    },
    answer: (context) => cancel(context, parts),
  };
}

async function run(context: ApiContext, { api, limits, redact, turns, isAccepting }: RouteParts): Promise<Response> {
  const body = await readBody(context.req.raw, ['json', 'yaml'], limits);
  if (body.refusal) return refuse(body.refusal, redact);
  const { caller } = context.env;
  const { allows, allowsAll, owner } = accessOfCaller(caller);
  const read = await readPlan(body, { service: api.service, catalog: api.catalog, allows }, limits);
  if (read.refusal) return refuse(read.refusal, redact);
  const idempotencyKey = readValid(context, 'header', keyHeaders)['idempotency-key'];
  const { wait, turn_id: turnId, timeout_ms: timeoutMs } = readValid(context, 'query', runQuery);
  const unnameable = turnId === undefined ? undefined : turnIdRefusal(turnId);
  if (unnameable) return refuse(unnameable, redact);
  const named = turnId ?? read.plan.turnId;
  const plan = {
    ...read.plan,
    ...(named === undefined ? {} : { turnId: ownTurnId(caller, named) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const hidden = allowsAll ? undefined : plan.calls.flatMap(({ policy }) => policy?.alternatives ?? []).find((name) => !allows(name));
  if (hidden !== undefined) return refuse(unknownAlternative(hidden), redact);
  const admit = (): ReturnType<typeof admitCalls> => admitCalls(caller, plan.calls.length);
  const turn = turns.start({ plan, idempotencyKey, principal: caller.principal, owner, admit }, isAccepting());
  if ('refusal' in turn) return refuse(turn.refusal, redact);
  const location = { location: `/v1/turns/${encodeURIComponent(turn.turnId)}` };
  const answer = await (wait ? turn.answer() : turn.started);
  if (answer === undefined) return json({ turn_id: turn.turnId, state: 'running' satisfies TurnState }, 202, location);
  if (answer.refusal) return refuse(answer.refusal, redact);
  return json(concealReportText(answer.report, accessOfCaller(caller), api.service), 200, location);
}

async function getTurn(context: ApiContext, parts: RouteParts): Promise<Response> {
  const turnId = seenTurnId(context.env.caller, readValid(context, 'param', turnParams).turn_id);
  const { run: wanted, after, limit } = readValid(context, 'query', detailQuery);
  const found = await findTurn(parts.history, turnId, wanted);
  if (found === undefined) return unreadable(parts) ?? (await unrecordedTurn(context, turnId, wanted, parts));
  const { events, summary } = found;
  const { state, report } = await standingOf(found, wanted === undefined, parts);
  const behind = events.filter(({ seq }) => seq > after);
  const given = behind.slice(0, limit);
  const detail: TurnDetail = {
    turn_id: turnId,
    run: summary.run,
    state,
    started_at: toIso(summary.startedAt),
    ...(state === 'interrupted' ? { stopped: stoppedBetween(found, Date.now()) } : {}),
    ...(report === undefined ? {} : { report: concealReport(report, accessOfCaller(context.env.caller), parts.api.service) }),
    events: given,
    ...(given.length < behind.length ? { next_after: given.at(-1)?.seq ?? after } : {}),
  };
  return json(detail);
}

/** A process writes its events, or a heartbeat, at least this often while it has a turn to run. */
const overdueMs = 60_000;

function stoppedBetween({ events, summary: { seenAt = 0 } }: FoundTurn, now: number): StoppedBetween {
  const after = Math.min(now, Math.max(seenAt, ...events.slice(-1).map(({ timestamp }) => Date.parse(timestamp))));
  return { after: toIso(after), before: toIso(Math.min(now, after + overdueMs)) };
}

type Standing = Pick<TurnDetail, 'state' | 'report'>;

/**
 * The record is behind while it has no end of a turn that the engine has ended, and it shows a turn as interrupted until another worker continues it. Earlier runs
 * are only in the record.
 */
async function standingOf({ events, summary }: FoundTurn, isLatest: boolean, { turns }: RouteParts): Promise<Standing> {
  const { turnId, state } = summary;
  if (state === 'completed') {
    const kept = isLatest ? await turns.report(turnId) : undefined;
    const report = kept === undefined ? tracedReport(events) : (JSON.parse(kept) as TurnReport | TracedReport);
    return { state, ...(report === undefined ? {} : { report }) };
  }
  const known = isLatest ? await turns.status(turnId) : undefined;
  if (known === undefined || known.refusal !== undefined || known.state === 'unknown') return { state };
  return known.state === 'completed' ? { state: 'completed', report: JSON.parse(known.report) as TurnReport } : { state: known.state };
}

/** A turn that was submitted but has not started has no events, and neither has one whose record is behind. */
async function unrecordedTurn(context: ApiContext, turnId: string, run: number | undefined, parts: RouteParts): Promise<Response> {
  const status = run === undefined ? await parts.turns.status(turnId) : undefined;
  if (status?.refusal) return refuse(status.refusal, parts.redact);
  if (status === undefined || status.state === 'unknown') return refuse(await unknownTurn(context, turnId, run, parts), parts.redact);
  const report = status.state === 'completed' ? { report: JSON.parse(status.report) as TurnReport } : {};
  return json({
    turn_id: turnId,
    run: 1,
    state: status.state,
    started_at: toIso(Date.now()),
    ...report,
    events: [],
  } satisfies TurnDetail);
}

async function cancel(context: ApiContext, parts: RouteParts): Promise<Response> {
  const { caller } = context.env;
  // Seeing the turns of others does not include ending them.
  const whole = readValid(context, 'param', turnParams).turn_id;
  const turnId = mayAct(caller) ? whole : ownTurnId(caller, whole);
  const answer = await parts.turns.cancel(turnId);
  if (answer) return cancelResponse(turnId, answer, parts);
  const found = await findTurn(parts.history, turnId);
  if (found === undefined) return unreadable(parts) ?? refuse(await unknownTurn(context, turnId, undefined, parts), parts.redact);
  const { state, outcome, summary } = found.summary;
  if (outcome === 'cancelled') return json({ turn_id: turnId, state, outcome, summary } satisfies TurnCancelledBody);
  return refuse(state === 'running' ? startedElsewhere(turnId) : turnEnded(turnId, state), parts.redact);
}

type TurnCancelledBody = { readonly [Key in keyof CancelledTurn]: CancelledTurn[Key] | undefined };

function cancelResponse(turnId: string, answer: TurnAnswer, { redact }: RouteParts): Response {
  if (answer.refusal) return refuse(answer.refusal.status === 503 ? answer.refusal : turnEnded(turnId, 'completed'), redact);
  const { outcome, summary } = answer;
  return json({ turn_id: turnId, state: 'completed', outcome, summary } satisfies CancelledTurn);
}

/** A store that cannot be read returns nothing, like an empty one. */
export function unreadable({ history, redact }: RouteParts): Response | undefined {
  const { ok, problem } = history.status();
  return ok ? undefined : refuse(notNow(503, 'STORE_UNAVAILABLE', problem ?? 'The trace store is not responding', 5_000), redact);
}

const maxCandidates = 200;

export async function unknownTurn(
  { env: { caller } }: ApiContext,
  turnId: string,
  run: number | undefined,
  { history, turns }: RouteParts,
): Promise<Refusal> {
  const known = await history.listTurns({ limit: maxCandidates });
  const isSeen = turnFilterOf(caller) ?? (() => true);
  const ids = new Set([...turns.ids(), ...known.map((turn) => turn.turnId)].filter(isSeen));
  const near = suggest(turnId, ids);
  const message = run === undefined || !ids.has(turnId) ? `There is no turn '${turnId}'` : `Turn '${turnId}' has no run ${run}`;
  const hint = 'List them with GET /v1/turns.';
  return {
    status: 404,
    error: { code: 'UNKNOWN_TURN', message, field: 'turn_id', hint, ...(near === undefined ? {} : { suggestion: near }) },
  };
}

const turnEnded = (turnId: string, state: TurnState): Refusal => ({
  status: 409,
  error: { code: 'TURN_OVER', message: `Turn '${turnId}' has already ended (${state})` },
});

const startedElsewhere = (turnId: string): Refusal => ({
  status: 409,
  error: { code: 'NOT_CANCELLABLE', message: `Turn '${turnId}' was not started through this API`, hint: 'Cancel it where it was started.' },
});
