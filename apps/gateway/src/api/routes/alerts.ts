/** Owns the routes of alerts, silences and receivers. Actions require a valid token. */
import { describeError } from '@holdfast/core/internal';
import type { AcknowledgeRequest, SilenceRequest } from '../../contract.ts';
import type { AlertActor, Alerts } from '../../alerts/alerts.ts';
import { noAlerts } from '../../alerts/no-alerts.ts';
import { actorNeeded, mayAct } from '../may-act.ts';
import { type Refusal, refuse } from '../problem.ts';
import {
  acknowledgeRequest,
  alertHistory,
  alertItem,
  alertList,
  alertParams,
  deliveriesQuery,
  delivery,
  deliveryLog,
  historyQuery,
  receiverParams,
  silenceItem,
  silenceParams,
  silenceRequest,
} from '../schemas/alerts.ts';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, json, jsonAnswer, parameters, readJson, reference, refusals, validated } from './route.ts';

const tags = ['alerts'];

export function alertRoutes({ api, limits, redact }: RouteParts): readonly ApiRoute[] {
  const alerts: Alerts = api.alerts ?? noAlerts;
  /** Runs an action if the caller may act. */
  const acting =
    (act: (context: ApiContext, actor: AlertActor) => Response | Promise<Response>) =>
    (context: ApiContext): Response | Promise<Response> => {
      const { caller } = context.env;
      return mayAct(caller) ? act(context, { by: caller.principal ?? '' }) : refuse(actorNeeded, redact);
    };
  return [
    {
      config: {
        method: 'get',
        path: '/v1/alerts',
        operationId: 'listAlerts',
        tags,
        summary: 'List alerts, rules, silences and receivers',
        responses: { 200: jsonAnswer(alertList, 'All of them. Resolved alerts are listed for 15 minutes.') },
      },
      answer: () => json(alerts.list()),
    },
    {
      config: {
        method: 'get',
        path: '/v1/alerts/history',
        operationId: 'listAlertEvents',
        tags,
        summary: 'List the events of alerts',
        request: { query: parameters(historyQuery) },
        responses: { 200: jsonAnswer(alertHistory, 'A page, newest first.'), ...refusals(400) },
      },
      answer: (context) => {
        const { limit, cursor } = validated(context, 'query', historyQuery);
        return json(alerts.history({ limit, before: cursor }));
      },
    },
    {
      config: {
        method: 'get',
        path: '/v1/alerts/deliveries',
        operationId: 'listDeliveries',
        tags,
        summary: 'List the notifications that were sent',
        request: { query: parameters(deliveriesQuery) },
        responses: { 200: jsonAnswer(deliveryLog, 'Newest first.'), ...refusals(400) },
      },
      answer: (context) => json(alerts.deliveries(validated(context, 'query', deliveriesQuery).limit)),
    },
    {
      config: {
        method: 'post',
        path: '/v1/alerts/{fingerprint}/acknowledge',
        operationId: 'acknowledgeAlert',
        tags,
        summary: 'Acknowledge an alert',
        description: 'Receivers are not notified of it again until it ends and comes back.',
        request: { params: parameters(alertParams), body: jsonBody('AcknowledgeRequest') },
        responses: { 200: jsonAnswer(alertItem, 'The acknowledged alert.'), ...refusals(400, 401, 404, 413, 415, 422) },
      },
      answer: acting(async (context, actor) => {
        const body = await readJson<AcknowledgeRequest>(context.req.raw, acknowledgeRequest, limits);
        if (body.refusal) return refuse(body.refusal, redact);
        const { fingerprint } = validated(context, 'param', alertParams);
        const alert = alerts.acknowledge(fingerprint, { ...actor, comment: body.value.comment });
        return alert ? json(alert) : refuse(noSuchAlert(fingerprint), redact);
      }),
    },
    {
      config: {
        method: 'post',
        path: '/v1/silences',
        operationId: 'createSilence',
        tags,
        summary: 'Create a silence',
        request: { body: jsonBody('SilenceRequest') },
        responses: { 201: jsonAnswer(silenceItem, 'The silence.'), ...refusals(400, 401, 413, 415, 422) },
      },
      answer: acting(async (context, actor) => {
        const body = await readJson<SilenceRequest>(context.req.raw, silenceRequest, limits);
        if (body.refusal) return refuse(body.refusal, redact);
        try {
          return json(alerts.silence(body.value, actor), 201);
        } catch (error) {
          return refuse(badSilence(error), redact);
        }
      }),
    },
    {
      config: {
        method: 'delete',
        path: '/v1/silences/{id}',
        operationId: 'endSilence',
        tags,
        summary: 'End a silence',
        request: { params: parameters(silenceParams) },
        responses: { 200: jsonAnswer(silenceItem, 'The ended silence.'), ...refusals(401, 404) },
      },
      answer: acting((context, actor) => {
        const { id } = validated(context, 'param', silenceParams);
        const silence = alerts.endSilence(id, actor);
        return silence ? json(silence) : refuse(noSuchSilence(id), redact);
      }),
    },
    {
      config: {
        method: 'post',
        path: '/v1/receivers/{name}/test',
        operationId: 'testReceiver',
        tags,
        summary: 'Send a test alert to a receiver',
        description: 'Makes one attempt, and answers when it has succeeded or failed.',
        request: { params: parameters(receiverParams) },
        responses: { 200: jsonAnswer(delivery, 'The result of the delivery.'), ...refusals(401, 404) },
      },
      answer: acting(async (context) => {
        const { name } = validated(context, 'param', receiverParams);
        const done = await alerts.test(name);
        return done ? json(done) : refuse(noSuchReceiver(name, alerts.receivers()), redact);
      }),
    },
  ];
}

const jsonBody = (name: string): { readonly required: true; readonly content: object } => ({
  required: true,
  content: { 'application/json': { schema: reference(name) } },
});

const noSuchAlert = (fingerprint: string): Refusal => ({
  status: 404,
  error: {
    code: 'ALERT_UNKNOWN',
    message: `No alert with the fingerprint '${fingerprint}' is pending or firing`,
    field: 'fingerprint',
    hint: 'It may have ended. GET /v1/alerts lists the active ones.',
  },
});

const noSuchSilence = (id: string): Refusal => ({
  status: 404,
  error: {
    code: 'SILENCE_UNKNOWN',
    message: `There is no silence '${id}'`,
    field: 'id',
    hint: 'GET /v1/alerts lists all silences.',
  },
});

const noSuchReceiver = (name: string, names: readonly string[]): Refusal => ({
  status: 404,
  error: {
    code: 'RECEIVER_UNKNOWN',
    message: `There is no receiver '${name}'`,
    field: 'name',
    ...(names.length > 0 ? { allowed: names.join(', ') } : { hint: 'The manifest has none. Add one to alerts.receivers.' }),
  },
});

/** The engine's error about invalid matchers. */
const badSilence = (error: unknown): Refusal => ({
  status: 422,
  error: { code: 'NOT_ALLOWED', message: describeError(error).message, field: 'matchers' },
});
