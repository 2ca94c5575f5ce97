/** Owns what the routes share. */
import type { Redactor } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import type { ApiLimits, ApiParts } from '../parts.ts';
import type { RunningCalls } from '../running-calls.ts';
import type { LiveHub } from '../streams/live-hub.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import type { ApiTurns } from '../turns/api-turns.ts';
import type { TurnLogs } from '../turns/turn-logs.ts';
import type { KeptAnswers } from '../turns/kept-answers.ts';
import type { TurnWork } from '../turn-work/turn-work.ts';

export interface RouteParts {
  readonly api: ApiParts;
  readonly limits: ApiLimits;
  readonly redact: Redactor;
  readonly history: Store;
  readonly turns: ApiTurns;
  readonly calls: RunningCalls;
  readonly logs: TurnLogs;
  readonly answers: KeptAnswers;
  readonly streams: OpenStreams;
  readonly turnWork: TurnWork;
  /** `undefined` without a history. */
  readonly live: LiveHub | undefined;
  /** Whether new work may start. */
  readonly isAccepting: () => boolean;
}
