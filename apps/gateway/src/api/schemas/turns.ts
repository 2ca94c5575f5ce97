/** Owns the schemas of the turns' routes. */
import { z } from '@hono/zod-openapi';
import type { TurnOutcome, TurnState } from '../../contract.ts';
import { asksForFacts, cursorOf, type TurnFilter } from '../turns/turn-list.ts';
import { turnFacts } from './history.ts';
import { flag, perhaps, several, time, wholeNumber } from './parameters.ts';
import { anyReport, turnOutcome, turnState } from './results.ts';

export const turnAccepted: z.ZodType = z.object({ turn_id: z.string(), state: turnState }).openapi('TurnAccepted');

export const turnEvent: z.ZodType = z
  .looseObject({
    event_type: z.string(),
    turn_id: z.string(),
    seq: z.int().openapi({ description: '1, 2, 3 … within the turn.' }),
    timestamp: z.iso.datetime(),
    elapsed_ms: z.number().openapi({ description: 'Since the turn began.' }),
  })
  .openapi('TraceEvent', { description: 'One event of the trace; see the reference of events.' });

export const turnPage: z.ZodType = z
  .object({
    turns: z.array(
      z
        .object({
          turn_id: z.string(),
          run: z.int().openapi({ description: 'Names this run within the store, since a turn id may be used again.' }),
          started_at: z.iso.datetime(),
          ended_at: z.iso.datetime().optional(),
          state: turnState,
          outcome: turnOutcome.optional(),
          summary: z.string().optional(),
          calls: z.int(),
          events: z.int(),
          facts: turnFacts.optional(),
        })
        .openapi('TurnItem'),
    ),
    next_cursor: z
      .string()
      .optional()
      .openapi({ description: 'For what comes behind; absent on the last page. A short or empty page may have one.' }),
  })
  .openapi('TurnPage');

export const turnDetail: z.ZodType = z
  .object({
    turn_id: z.string(),
    run: z.int().optional(),
    state: turnState,
    started_at: z.iso.datetime(),
    report: anyReport.optional().openapi({ description: 'Absent while the turn runs.' }),
    events: z.array(turnEvent),
    next_after: z.int().optional().openapi({ description: 'For the events behind; absent when these were the last.' }),
  })
  .openapi('TurnDetail');

export const turnCancelled: z.ZodType = z
  .object({ turn_id: z.string(), state: turnState, outcome: turnOutcome.optional(), summary: z.string().optional() })
  .openapi('TurnCancelled');

const someOf = 'Only these; with commas, or each in a parameter of its own.';

const name = z.string().min(1).max(512);

const otherFilters = 'the next_cursor of the page before, with the same filters';

export const turnFilter: z.ZodType<TurnFilter> = z
  .strictObject({
    limit: wholeNumber(1, 200, 50).openapi({ description: 'Turns at most.' }),
    cursor: z
      .string()
      .max(40)
      .transform(cursorOf)
      .refine((cursor) => cursor !== undefined, 'the next_cursor of the page before')
      .optional()
      .openapi({ type: 'string', description: 'The `next_cursor` of the page before.' }),
    since: time.optional().openapi({ description: 'Only turns that started then or later.' }),
    before: time.optional().openapi({ description: 'Only turns that started before.' }),
    outcome: several<TurnOutcome>(['success', 'partial', 'failed', 'deadline', 'cancelled']).optional().openapi({ description: someOf }),
    state: several<TurnState>(['running', 'completed', 'interrupted']).optional().openapi({ description: someOf }),
    tool_id: name.optional().openapi({
      description: 'Only turns in which this tool was called. This and what follows is known of turns that this gateway has run.',
    }),
    code: name.optional().openapi({ description: 'Only turns with a failure of this code.' }),
    retried: perhaps.openapi({ description: 'Only turns in which something was retried; `false`: in which nothing was.' }),
    deadline: perhaps.openapi({ description: 'Only turns that missed their deadline, or did not.' }),
    repaired: perhaps.openapi({ description: 'Only turns in which arguments or a transcript were repaired, or were not.' }),
    alternative: perhaps.openapi({ description: 'Only turns in which an alternative was used, or was not.' }),
    q: name.optional().openapi({ description: 'Only turns whose id begins so, or whose summary has these words in it.' }),
  })
  .superRefine((filter, context) => {
    if (filter.cursor !== undefined && 'fact' in filter.cursor !== asksForFacts(filter))
      context.addIssue({ code: 'custom', message: otherFilters, path: ['cursor'] });
  });

export interface DetailQuery {
  readonly run?: number | undefined;
  readonly after: number;
  readonly limit: number;
}

const mostRun = Number.MAX_SAFE_INTEGER;

export const detailQuery: z.ZodType<DetailQuery> = z.strictObject({
  run: wholeNumber(1, mostRun).optional().openapi({ description: 'Which run of the turn id.' }),
  after: wholeNumber(0, mostRun, 0).openapi({ description: 'Only events behind this `seq`.' }),
  limit: wholeNumber(0, 10_000, 1_000).openapi({ description: 'Events at most.' }),
});

export interface StreamQuery {
  readonly run?: number | undefined;
  readonly after?: number | undefined;
}

export const streamQuery: z.ZodType<StreamQuery> = z.strictObject({
  run: wholeNumber(1, mostRun).optional().openapi({ description: 'Which run of the turn id.' }),
  after: wholeNumber(0, mostRun).optional().openapi({ description: 'Continues behind this `seq`, as `Last-Event-ID` does.' }),
});

export const streamHeaders: z.ZodType<{ readonly 'last-event-id'?: number | undefined }> = z.object({
  'last-event-id': wholeNumber(0, mostRun).optional().openapi({ description: 'The id of the last event that was received.' }),
});

export interface RunQuery {
  readonly wait: boolean;
  readonly turn_id?: string | undefined;
  readonly timeout_ms?: number | undefined;
}

export const runQuery: z.ZodType<RunQuery> = z.strictObject({
  wait: flag(true).openapi({ description: '`false` answers 202 as soon as the turn runs.' }),
  turn_id: z.string().min(1).max(512).optional().openapi({ description: "In place of the plan's `id`." }),
  timeout_ms: wholeNumber(1, 2_147_483_647).optional().openapi({ description: "In place of the plan's `timeout_ms`." }),
});

export const turnParams: z.ZodType<{ readonly turn_id: string }> = z.object({ turn_id: z.string().min(1).max(512) });

export const keyHeaders: z.ZodType<{ readonly 'idempotency-key'?: string | undefined }> = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({ description: 'The same key and body are run once; a client that asks again gets the same answer.' }),
});
