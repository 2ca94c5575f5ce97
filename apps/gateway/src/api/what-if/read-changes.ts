/** Owns reading the settings of a what-if from a body, and its problems, with the messages for a manifest. */
import type { TraceEvent } from '@holdfast/core';
import { parseChanges } from '@holdfast/manifest';
import { type BodyText, parseJson } from '../body.ts';
import type { ApiLimits } from '../parts.ts';
import type { Refusal } from '../problem.ts';
import { partsOf } from '../turns/plan-size.ts';
import { refusalOfProblems, tooManyParts } from '../turns/read-plan.ts';
import type { WhatIfChanges } from './answer.ts';

type Readable = Exclude<BodyText, { readonly refusal: Refusal }>;

export type ReadChanges = { readonly changes: WhatIfChanges; readonly refusal?: undefined } | { readonly refusal: Refusal };

export function readChanges(
  { text, kind }: Readable,
  events: readonly TraceEvent[],
  { planParts }: Pick<ApiLimits, 'planParts'>,
): ReadChanges {
  if (partsOf(text, kind) > planParts) return { refusal: tooManyParts(planParts, 'The body is too large', 'Send fewer settings.') };
  if (kind === 'json') {
    const parsed = parseJson(text);
    if (parsed.refusal) return parsed;
  }
  const { changes, problems } = parseChanges(text, { file: 'body', tools: toolsOf(events) });
  return changes === undefined ? { refusal: refusalOfProblems(problems) } : { changes };
}

function toolsOf(events: readonly TraceEvent[]): readonly string[] {
  const [start] = events;
  if (start?.event_type === 'CallStarted') return [...new Set([...Object.keys(start.settings?.tools ?? {}), start.tool_id])];
  if (start?.event_type !== 'TurnStarted') return [];
  return [...new Set([...Object.keys(start.tools), ...start.calls.map(({ tool_id }) => tool_id)])];
}
