/** Owns the schemas of the routes of turns. */
import { maxTimerMs } from '@holdfast/core/internal/plain';
import { z } from '@hono/zod-openapi';
import type { TurnOutcome, TurnState } from '../../contract.ts';
import { filtersByFacts, cursorOf, type TurnFilter } from '../turns/turn-list.ts';
import { turnFacts } from './history.ts';
import { flag, optionalFlag, listOf, time, wholeNumber } from './parameters.ts';
import { anyReport, turnOutcome, turnState } from './results.ts';

export const turnAccepted: z.ZodType = z.object({ turn_id: z.string(), state: turnState }).openapi('TurnAccepted');

export const turnEvent: z.ZodType = z
  .looseObject({
    event_type: z.string(),
    turn_id: z.string(),
    seq: z.int().openapi({ description: '1, 2, 3 … within the turn.' }),
    timestamp: z.iso.datetime(),
    elapsed_ms: z.number().openapi({ description: 'Time since the start of the turn.' }),
  })
  .openapi('TraceEvent', { description: 'One event of the trace; see the reference of events.' });

export const turnPage: z.ZodType = z
  .object({
    turns: z.array(
      z
        .object({
          turn_id: z.string(),
          run: z.int().openapi({ description: 'Distinguishes the runs of a turn id in the store, since an id may be used again.' }),
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
      .openapi({ description: 'Cursor of the next page. Absent on the last page. A short or even empty page may have one.' }),
  })
  .openapi('TurnPage');

export const turnDetail: z.ZodType = z
  .object({
    turn_id: z.string(),
    run: z.int().optional(),
    state: turnState,
    started_at: z.iso.datetime(),
    stopped: z
      .object({
        after: z.iso.datetime().openapi({ description: 'When its process was last active.' }),
        before: z.iso.datetime().openapi({ description: 'When its next sign of life was overdue.' }),
      })
      .optional()
      .openapi({ description: 'When the process of an interrupted turn stopped. Absent for other turns.' }),
    report: anyReport.optional().openapi({ description: 'Absent while the turn runs.' }),
    events: z.array(turnEvent),
    next_after: z.int().optional().openapi({ description: 'Value of `after` for the next events. Absent if these are the last.' }),
  })
  .openapi('TurnDetail');

export const turnCancelled: z.ZodType = z
  .object({ turn_id: z.string(), state: turnState, outcome: turnOutcome.optional(), summary: z.string().optional() })
  .openapi('TurnCancelled');

const listDescription = 'Only these. Separate values with commas, or repeat the parameter.';

const name = z.string().min(1).max(512);

const otherFilters = 'the next_cursor of the previous page, with the same filters';

export const turnFilter: z.ZodType<TurnFilter> = z
  .strictObject({
    limit: wholeNumber(1, 200, 50).openapi({ description: 'Maximum number of turns.' }),
    cursor: z
      .string()
      .max(40)
      .transform(cursorOf)
      .refine((cursor) => cursor !== undefined, 'the next_cursor of the previous page')
      .optional()
      .openapi({ type: 'string', description: 'The `next_cursor` of the previous page.' }),
    since: time.optional().openapi({ description: 'Only turns that started at this time or later.' }),
    before: time.optional().openapi({ description: 'Only turns that started before this time.' }),
    outcome: listOf<TurnOutcome>(['success', 'partial', 'failed', 'deadline', 'cancelled'])
      .optional()
      .openapi({ description: listDescription }),
    state: listOf<TurnState>(['running', 'completed', 'interrupted']).optional().openapi({ description: listDescription }),
    tool_id: name.optional().openapi({
      description:
        'Only turns in which this tool was called. This filter and the following ones find only turns that this gateway has run.',
    }),
    code: name
      .transform((code) => code.toUpperCase())
      .optional()
      .openapi({ description: 'Only turns with a failure with this code.' }),
    retried: optionalFlag.openapi({ description: '`true`: only turns with retries. `false`: only turns without.' }),
    deadline: optionalFlag.openapi({ description: '`true`: only turns that missed their deadline. `false`: only those that did not.' }),
    repaired: optionalFlag.openapi({
      description: '`true`: only turns in which arguments or a transcript were repaired. `false`: only turns without repairs.',
    }),
    alternative: optionalFlag.openapi({ description: '`true`: only turns in which an alternative was used. `false`: only turns without.' }),
    q: name
      .optional()
      .openapi({ description: 'Only turns whose id starts with this string, or whose summary, tools or error codes contain it.' }),
  })
  .superRefine((filter, context) => {
    if (filter.cursor !== undefined && 'fact' in filter.cursor !== filtersByFacts(filter))
      context.addIssue({ code: 'custom', message: otherFilters, path: ['cursor'] });
  });

export interface DetailQuery {
  readonly run?: number | undefined;
  readonly after: number;
  readonly limit: number;
}

const maxRun = Number.MAX_SAFE_INTEGER;

export const detailQuery: z.ZodType<DetailQuery> = z.strictObject({
  run: wholeNumber(1, maxRun)
    .optional()
    .openapi({ description: 'Which run, if the turn id was used more than once. Default: the latest.' }),
  after: wholeNumber(0, maxRun, 0).openapi({ description: 'Only events after this `seq`.' }),
  limit: wholeNumber(0, 10_000, 1_000).openapi({ description: 'Maximum number of events.' }),
});

export interface StreamQuery {
  readonly run?: number | undefined;
  readonly after?: number | undefined;
}

export const streamQuery: z.ZodType<StreamQuery> = z.strictObject({
  run: wholeNumber(1, maxRun)
    .optional()
    .openapi({ description: 'Which run, if the turn id was used more than once. Default: the latest.' }),
  after: wholeNumber(0, maxRun).optional().openapi({ description: 'Continues after this `seq`, as `Last-Event-ID` does.' }),
});

export const streamHeaders: z.ZodType<{ readonly 'last-event-id'?: number | undefined }> = z.object({
  'last-event-id': wholeNumber(0, maxRun).optional().openapi({ description: 'Id of the last event that the client received.' }),
});

export interface RunQuery {
  readonly wait: boolean;
  readonly turn_id?: string | undefined;
  readonly timeout_ms?: number | undefined;
}

export const runQuery: z.ZodType<RunQuery> = z.strictObject({
  wait: flag(true).openapi({ description: '`false`: answers 202 as soon as the turn is running.' }),
  turn_id: z.string().min(1).max(512).optional().openapi({ description: 'Overrides the `id` of the plan.' }),
  timeout_ms: wholeNumber(1, maxTimerMs).optional().openapi({ description: 'Overrides the `timeout_ms` of the plan.' }),
});

export const turnParams: z.ZodType<{ readonly turn_id: string }> = z.object({ turn_id: z.string().min(1).max(512) });

export const keyHeaders: z.ZodType<{ readonly 'idempotency-key'?: string | undefined }> = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({ description: 'The same key and body run once. A repeated request gets the same answer.' }),
});
