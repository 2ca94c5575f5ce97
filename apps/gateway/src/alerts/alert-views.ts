/** Owns the API representation of alerts, rules, silences and deliveries. */
import { type Alert, type AlertRule, type RuleStatus, describeCondition, type Silence } from '@holdfast/core/alerts';
import type { AlertEventRecord, DeliveryRecord, Kept } from '@holdfast/store-sqlite/history';
import type { DeliveryReport } from '@holdfast/telemetry/alerts';
import type * as contract from '../contract.ts';
import { toIso } from '../plain/iso-time.ts';

export function alertItem(alert: Alert): contract.AlertItem {
  const { fingerprint, name, severity, state, labels, annotations, measured, limitText, cause, acknowledged } = alert;
  const { firedAtEpochMs, resolvedAtEpochMs } = alert;
  const tool = labels['tool'];
  return {
    fingerprint,
    name,
    severity,
    state,
    labels,
    summary: annotations.summary,
    description: annotations.description,
    value: measured,
    limit: limitText,
    active_since: toIso(alert.activeAtEpochMs),
    ...(firedAtEpochMs === undefined ? {} : { fired_at: toIso(firedAtEpochMs) }),
    ...(resolvedAtEpochMs === undefined ? {} : { resolved_at: toIso(resolvedAtEpochMs) }),
    silenced_by: alert.silencedBy,
    inhibited_by: alert.inhibitedBy,
    ...(acknowledged ? { acknowledged: acknowledgement(acknowledged) } : {}),
    ...(tool === undefined ? {} : { tool_id: tool }),
    ...(cause ? { turn_id: cause.turnId, ...(cause.callId === undefined ? {} : { call_id: cause.callId }) } : {}),
  };
}

function acknowledgement({ atEpochMs, by, comment }: NonNullable<Alert['acknowledged']>): NonNullable<contract.AlertItem['acknowledged']> {
  return { at: toIso(atEpochMs), by, ...(comment === undefined ? {} : { comment }) };
}

const order = { firing: 0, pending: 1, resolved: 2 } as const;

/** Sorts firing alerts first, then pending, then resolved; the newest first within each state. */
export function inOrder(one: contract.AlertItem, other: contract.AlertItem): number {
  if (one.state !== other.state) return order[one.state] - order[other.state];
  return one.active_since < other.active_since ? 1 : one.active_since > other.active_since ? -1 : 0;
}

export function ruleItem(
  rule: AlertRule,
  statuses: readonly RuleStatus[],
  expression: (rule: AlertRule) => string,
): contract.AlertRuleItem {
  return {
    name: rule.name,
    severity: rule.severity,
    summary: rule.summary,
    condition: describeCondition(rule),
    for_ms: rule.forMs ?? 0,
    keep_firing_for_ms: rule.keepFiringForMs ?? 0,
    expression: expression(rule),
    firing: statuses.find((status) => status.rule === rule.name)?.firing ?? 0,
  };
}

export function silenceItem(silence: Silence, nowMs: number): contract.Silence {
  const { id, matchers, startsAtEpochMs, endsAtEpochMs, createdBy, comment } = silence;
  return {
    id,
    matchers: matchers.map(({ name, value, isRegex = false, isEqual = true }) => ({ name, value, is_regex: isRegex, is_equal: isEqual })),
    starts_at: toIso(startsAtEpochMs),
    ends_at: toIso(endsAtEpochMs),
    created_by: createdBy,
    comment,
    state: endsAtEpochMs <= nowMs ? 'expired' : startsAtEpochMs > nowMs ? 'pending' : 'active',
  };
}

export function eventItem({ id, atMs, kind, fingerprint, name, tool_id: tool, text, by }: Kept<AlertEventRecord>): contract.AlertEvent {
  return {
    id,
    at: toIso(atMs),
    kind: kind as contract.AlertEvent['kind'],
    ...(fingerprint === undefined ? {} : { fingerprint }),
    name,
    ...(tool === undefined ? {} : { tool_id: tool }),
    text,
    ...(by === undefined ? {} : { by }),
  };
}

/** The stored part of a delivery, without its id. */
export function deliveryBody(report: DeliveryReport, redact: (text: string) => string): Omit<contract.Delivery, 'id'> {
  const { at, receiver, status, attempts, durationMs, alerts, isTest, code, error } = report;
  return {
    at: toIso(at),
    receiver,
    status,
    attempts,
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
    alerts,
    ...(isTest ? { test: true } : {}),
    ...(code === undefined ? {} : { code }),
    ...(error === undefined ? {} : { error: redact(error) }),
  };
}

export function deliveryItem({ id, body }: Kept<DeliveryRecord>): contract.Delivery {
  return { id, ...(JSON.parse(body) as Omit<contract.Delivery, 'id'>) };
}
