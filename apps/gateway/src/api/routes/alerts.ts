/** Owns the routes of alerts, silences and receivers. Changing them needs a known token. */
import { describeError } from '@holdfast/core/internal';
import type { AcknowledgeRequest, SilenceRequest } from '../../contract.ts';
import type { AlertActor, Alerts } from '../../alerts/alerts.ts';
import { noAlerts } from '../../alerts/no-alerts.ts';
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
import { type ApiContext, type ApiRoute, json, jsonAnswer, parameters, readJson, reference, refusals, readValid } from './route.ts';

const tags = ['alerts'];

export function alertRoutes(parts: RouteParts): readonly ApiRoute[] {
  return [
    listRoute(parts),
    historyRoute(parts),
    deliveriesRoute(parts),
    acknowledgeRoute(parts),
    withdrawRoute(parts),
    silenceRoute(parts),
    endSilenceRoute(parts),
    testRoute(parts),
  ];
}

function alertsOf({ api }: RouteParts): Alerts {
  return api.alerts ?? noAlerts;
}

/** Requires permission to act; passes the name of the caller's token. */
function operatorRoute(act: (context: ApiContext, actor: AlertActor) => Response | Promise<Response>): Pick<ApiRoute, 'needs' | 'answer'> {
  return { needs: 'operate', answer: (context) => act(context, { by: context.env.caller.principal ?? '' }) };
}

function listRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/alerts',
      operationId: 'listAlerts',
      tags,
      summary: 'List active alerts, rules, silences and receivers',
      responses: { 200: jsonAnswer(alertList, 'Alerts, rules, silences and receivers. Resolved alerts are listed for 15 minutes.') },
    },
    needs: 'read',
    answer: () => json(alertsOf(parts).list()),
  };
}

function historyRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/alerts/history',
      operationId: 'listAlertEvents',
      tags,
      summary: 'List alert events',
      request: { query: parameters(historyQuery) },
      responses: { 200: jsonAnswer(alertHistory, 'A page of events, newest first.'), ...refusals(400) },
    },
    needs: 'read',
    answer: (context) => {
      const { limit, cursor } = readValid(context, 'query', historyQuery);
      return json(alertsOf(parts).history({ limit, before: cursor }));
    },
  };
}

function deliveriesRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/alerts/deliveries',
      operationId: 'listDeliveries',
      tags,
      summary: 'List the notifications that were sent',
      request: { query: parameters(deliveriesQuery) },
      responses: { 200: jsonAnswer(deliveryLog, 'A page of notifications, newest first.'), ...refusals(400) },
    },
    needs: 'read',
    answer: (context) => json(alertsOf(parts).deliveries(readValid(context, 'query', deliveriesQuery).limit)),
  };
}

function acknowledgeRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'post',
      path: '/v1/alerts/{fingerprint}/acknowledge',
      operationId: 'acknowledgeAlert',
      tags,
      summary: 'Acknowledge an alert',
      description: 'No further notifications are sent until it has been resolved for 15 minutes and fires again.',
      request: { params: parameters(alertParams), body: jsonBody('AcknowledgeRequest') },
      responses: { 200: jsonAnswer(alertItem, 'The acknowledged alert.'), ...refusals(400, 404, 413, 415, 422) },
    },
    ...operatorRoute(async (context, actor) => {
      const body = await readJson<AcknowledgeRequest>(context.req.raw, acknowledgeRequest, parts.limits);
      if (body.refusal) return refuse(body.refusal, parts.redact);
      const { fingerprint } = readValid(context, 'param', alertParams);
      const alert = alertsOf(parts).acknowledge(fingerprint, { ...actor, comment: body.value.comment });
      return alert ? json(alert) : refuse(noSuchAlert(fingerprint), parts.redact);
    }),
  };
}

function withdrawRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'delete',
      path: '/v1/alerts/{fingerprint}/acknowledge',
      operationId: 'withdrawAcknowledgement',
      tags,
      summary: 'Withdraw the acknowledgement of an alert',
      description: 'Notifications are sent again.',
      request: { params: parameters(alertParams) },
      responses: { 200: jsonAnswer(alertItem, 'The alert.'), ...refusals(404) },
    },
    ...operatorRoute((context, actor) => {
      const { fingerprint } = readValid(context, 'param', alertParams);
      const alert = alertsOf(parts).withdraw(fingerprint, actor);
      return alert ? json(alert) : refuse(noSuchAlert(fingerprint), parts.redact);
    }),
  };
}

function silenceRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'post',
      path: '/v1/silences',
      operationId: 'createSilence',
      tags,
      summary: 'Create a silence',
      request: { body: jsonBody('SilenceRequest') },
      responses: { 201: jsonAnswer(silenceItem, 'The created silence.'), ...refusals(400, 413, 415, 422) },
    },
    ...operatorRoute(async (context, actor) => {
      const body = await readJson<SilenceRequest>(context.req.raw, silenceRequest, parts.limits);
      if (body.refusal) return refuse(body.refusal, parts.redact);
      try {
        return json(alertsOf(parts).silence(body.value, actor), 201);
      } catch (error) {
        return refuse(badSilence(error), parts.redact);
      }
    }),
  };
}

function endSilenceRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'delete',
      path: '/v1/silences/{id}',
      operationId: 'endSilence',
      tags,
      summary: 'End a silence',
      request: { params: parameters(silenceParams) },
      responses: { 200: jsonAnswer(silenceItem, 'The ended silence.'), ...refusals(404) },
    },
    ...operatorRoute((context, actor) => {
      const { id } = readValid(context, 'param', silenceParams);
      const silence = alertsOf(parts).endSilence(id, actor);
      return silence ? json(silence) : refuse(noSuchSilence(id), parts.redact);
    }),
  };
}

function testRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'post',
      path: '/v1/receivers/{name}/test',
      operationId: 'testReceiver',
      tags,
      summary: 'Send a test alert to a receiver',
      description: 'Makes one attempt, and responds when it has succeeded or failed.',
      request: { params: parameters(receiverParams) },
      responses: { 200: jsonAnswer(delivery, 'The result of the delivery.'), ...refusals(404) },
    },
    ...operatorRoute(async (context) => {
      const { name } = readValid(context, 'param', receiverParams);
      const done = await alertsOf(parts).test(name);
      return done ? json(done) : refuse(noSuchReceiver(name, alertsOf(parts).receivers()), parts.redact);
    }),
  };
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
    hint: 'It may be resolved: see GET /v1/alerts.',
  },
});

const noSuchSilence = (id: string): Refusal => ({
  status: 404,
  error: {
    code: 'SILENCE_UNKNOWN',
    message: `There is no silence '${id}'`,
    field: 'id',
    hint: 'List the silences with GET /v1/alerts.',
  },
});

const noSuchReceiver = (name: string, names: readonly string[]): Refusal => ({
  status: 404,
  error: {
    code: 'RECEIVER_UNKNOWN',
    message: `There is no receiver '${name}'`,
    field: 'name',
    ...(names.length > 0 ? { allowed: names.join(', ') } : { hint: 'The manifest has no receivers: add them under alerts.receivers.' }),
  },
});

/** The engine's errors about invalid matchers. */
const badSilence = (error: unknown): Refusal => ({
  status: 422,
  error: { code: 'NOT_ALLOWED', message: describeError(error).message, field: 'matchers' },
});
