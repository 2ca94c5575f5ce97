/** Owns the schemas of alerts, silences and receivers. */
import { z } from '@hono/zod-openapi';
import type { AcknowledgeRequest, SilenceRequest } from '../../contract.ts';
import { wholeNumber } from './parameters.ts';

const moment = z.iso.datetime().openapi({ examples: ['2026-11-22T10:00:00.000Z'] });
const texts = z.record(z.string(), z.string());
const severity = z.enum(['critical', 'warning', 'info']);

export const alertItem: z.ZodType = z
  .object({
    fingerprint: z.string().openapi({ description: 'Hash of the labels: the same alert always has the same one.' }),
    name: z.string().openapi({ description: "The rule's name." }),
    severity,
    state: z.enum(['pending', 'firing', 'resolved']),
    labels: texts,
    summary: z.string(),
    description: z.string(),
    value: z.string().openapi({ description: 'The latest measured value as text.' }),
    limit: z.string(),
    active_since: moment,
    fired_at: moment.optional(),
    resolved_at: moment.optional(),
    silenced_by: z.array(z.string()).openapi({ description: 'Ids of the silences that match it.' }),
    inhibited_by: z.array(z.string()).openapi({ description: 'Fingerprints of the alerts that inhibit it.' }),
    acknowledged: z.object({ at: moment, by: z.string(), comment: z.string().optional() }).optional(),
    tool_id: z.string().optional(),
    turn_id: z.string().optional().openapi({ description: 'Turn of the last event that caused it.' }),
    call_id: z.string().optional(),
  })
  .openapi('Alert');

const matcher = z
  .strictObject({
    name: z.string().min(1).max(200).openapi({ description: 'Name of a label.' }),
    value: z.string().max(1_000),
    is_regex: z
      .boolean()
      .optional()
      .openapi({ description: '`true`: `value` is a regular expression that has to match the whole value.', default: false }),
    is_equal: z.boolean().optional().openapi({ description: '`false`: matches labels that differ.', default: true }),
  })
  .openapi('Matcher');

export const silenceItem: z.ZodType = z
  .object({
    id: z.string(),
    matchers: z.array(matcher),
    starts_at: moment,
    ends_at: moment,
    created_by: z.string(),
    comment: z.string(),
    state: z.enum(['pending', 'active', 'expired']),
  })
  .openapi('Silence');

export const delivery: z.ZodType = z
  .object({
    id: z.int(),
    at: moment,
    receiver: z.string(),
    status: z.enum(['delivered', 'failed', 'waiting']),
    attempts: z.int(),
    duration_ms: z.number().optional(),
    alerts: z.array(z.string()).openapi({ description: 'Fingerprints.' }),
    test: z.literal(true).optional(),
    code: z.string().optional(),
    error: z.string().optional(),
  })
  .openapi('Delivery');

const rule = z
  .object({
    name: z.string(),
    severity,
    summary: z.string(),
    condition: z.string().openapi({ description: 'The condition as a sentence.' }),
    for_ms: z.number(),
    keep_firing_for_ms: z.number(),
    expression: z.string().openapi({ description: 'The same condition in PromQL.' }),
    firing: z.int(),
  })
  .openapi('AlertRule');

const receiver = z
  .object({
    name: z.string(),
    kind: z.enum(['webhook', 'signed_webhook', 'slack', 'pagerduty', 'alertmanager']),
    target: z.string().openapi({ description: 'The address, without secrets.' }),
    last_delivery: delivery.optional(),
  })
  .openapi('Receiver');

export const alertList: z.ZodType = z
  .object({ alerts: z.array(alertItem), rules: z.array(rule), silences: z.array(silenceItem), receivers: z.array(receiver) })
  .openapi('AlertList');

const kinds = [
  'pending',
  'firing',
  'resolved',
  'withdrawn',
  'acknowledged',
  'acknowledgement_withdrawn',
  'silenced',
  'silence_ended',
] as const;

export const alertHistory: z.ZodType = z
  .object({
    events: z.array(
      z
        .object({
          id: z.int(),
          at: moment,
          kind: z.enum(kinds),
          fingerprint: z.string().optional(),
          name: z.string().openapi({ description: 'The rule, or the id of the silence.' }),
          tool_id: z.string().optional(),
          text: z.string(),
          by: z.string().optional(),
        })
        .openapi('AlertEvent'),
    ),
    next_cursor: z.string().optional(),
  })
  .openapi('AlertHistory');

export const deliveryLog: z.ZodType = z.object({ deliveries: z.array(delivery) }).openapi('DeliveryLog');

export const historyQuery: z.ZodType<{ readonly limit: number; readonly cursor?: number | undefined }> = z.strictObject({
  limit: wholeNumber(1, 500, 50).openapi({ description: 'Maximum number of events, newest first.' }),
  cursor: wholeNumber(1, 999_999_999_999).optional().openapi({ description: 'The `next_cursor` of the previous page.' }),
});

export const deliveriesQuery: z.ZodType<{ readonly limit: number }> = z.strictObject({
  limit: wholeNumber(1, 500, 50).openapi({ description: 'Maximum number of deliveries, newest first.' }),
});

export const alertParams: z.ZodType<{ readonly fingerprint: string }> = z.object({ fingerprint: z.string().min(1).max(64) });
export const silenceParams: z.ZodType<{ readonly id: string }> = z.object({ id: z.string().min(1).max(64) });
export const receiverParams: z.ZodType<{ readonly name: string }> = z.object({ name: z.string().min(1).max(64) });

const comment = z.string().trim().min(1, '1 to 1000 characters').max(1_000, '1 to 1000 characters');

export const acknowledgeRequest: z.ZodType<AcknowledgeRequest> = z
  .strictObject({ comment: comment.optional() })
  .openapi('AcknowledgeRequest') as unknown as z.ZodType<AcknowledgeRequest>;

const dayMs = 24 * 3_600_000;

export const silenceRequest: z.ZodType<SilenceRequest> = z
  .strictObject({
    matchers: z
      .array(matcher)
      .min(1, '1 to 20 matchers')
      .max(20, '1 to 20 matchers')
      .openapi({ description: 'All of them have to match.' }),
    starts_at: moment.optional().openapi({ description: 'Default: now.' }),
    duration_ms: z
      .int()
      .min(1_000, 'a second to a year, in milliseconds')
      .max(366 * dayMs, 'a second to a year, in milliseconds'),
    comment: comment.openapi({ description: 'The reason, for other operators.' }),
  })
  .openapi('SilenceRequest') as unknown as z.ZodType<SilenceRequest>;
