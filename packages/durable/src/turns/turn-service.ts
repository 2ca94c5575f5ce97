/**
 * Owns the turn as a Restate workflow: one per turn id, so that a turn that is submitted twice runs once.
 *
 * Handlers: `run` takes a `TurnRequest` and returns a `TurnRecord`; `cancel` takes `{ reason? }` and requests the turn's end.
 */
import { waitAtMost, fieldsOf, parseJsonOrUndefined } from '@holdfast/core/internal/plain';
import { runJournaledTurn } from '@holdfast/core/journal';
import {
  handlers,
  TerminalError,
  workflow as defineWorkflow,
  type EndpointOptions,
  type WorkflowContext,
  type WorkflowSharedContext,
} from '@restatedev/restate-sdk';
import { CANCEL_PROMISE, createRestateJournal } from './restate-journal.ts';
import { recordText } from './record-text.ts';
import { textSerde } from './text-serde.ts';
import { turnIdProblem } from './turn-id.ts';
import { planDigest, type DurableTurnResult } from './turn-record.ts';
import { readTurnRequest, type TurnRequest } from './turn-request.ts';
import { completeTurnServiceOptions, type CompleteTurnServiceOptions, type TurnServiceOptions } from './turn-service-options.ts';

/** A service, object or workflow that a worker serves to Restate. */
export type RestateService = EndpointOptions['services'][number];

const RETRY_FIRST_MS = 100;
const RETRY_LONGEST_MS = 1000;

const codeOf = (error: unknown): unknown => (typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined);

const REFUSED = 400;
const SETTLE_MS = 1000;

const requestOf = (turnId: string, text: string): TurnRequest => {
  const problem = turnIdProblem(turnId);
  if (problem !== undefined) throw new TerminalError(problem, { errorCode: REFUSED });
  const read = readTurnRequest(text);
  if (!read.ok) throw new TerminalError(read.problem, { errorCode: REFUSED });
  return read.request;
};

const run =
  ({ service, settle }: CompleteTurnServiceOptions) =>
  async (workflow: WorkflowContext, text: string): Promise<string> => {
    const { plan, executionId = workflow.request().id, trace: withTrace = false } = requestOf(workflow.key, text);
    const turn = await runJournaledTurn({ service, turnId: workflow.key, plan, journal: createRestateJournal(workflow), executionId });
    // A store that hangs or fails does not delay the result for long.
    const settled = (async () => settle())().catch(() => undefined);
    await waitAtMost(globalThis, settled, SETTLE_MS);
    const { trace, ...report } = turn;
    const result: DurableTurnResult = withTrace ? { ...report, trace } : report;
    return recordText({ result, planDigest: planDigest(plan) });
  };

const reasonOf = (text: string): string => {
  const { reason } = fieldsOf(parseJsonOrUndefined(text));
  return typeof reason === 'string' ? reason : '';
};

const ALREADY_CANCELLED = 409;

const cancel = async (workflow: WorkflowSharedContext, text: string): Promise<string> => {
  try {
    await workflow.promise<string>(CANCEL_PROMISE, textSerde).resolve(reasonOf(text));
  } catch (error) {
    if (codeOf(error) !== ALREADY_CANCELLED) throw error;
  }
  return '{}';
};

/** The turns of a worker's service, for its Restate endpoint. */
export const createTurnService = (given: TurnServiceOptions): RestateService => {
  const options = completeTurnServiceOptions(given);
  const texts = { input: textSerde, output: textSerde, accept: '*/*' };
  return defineWorkflow({
    name: options.serviceName,
    handlers: {
      run: handlers.workflow.workflow(texts, run(options)),
      cancel: handlers.workflow.shared({ ...texts, journalRetention: 0 }, cancel),
    },
    options: {
      inactivityTimeout: options.maxAttemptMs,
      abortTimeout: options.maxAttemptMs,
      workflowRetention: options.resultRetentionMs,
      journalRetention: options.journalRetentionMs,
      retryPolicy: {
        initialInterval: RETRY_FIRST_MS,
        exponentiationFactor: 2,
        maxInterval: RETRY_LONGEST_MS,
        maxAttempts: options.pauseAfterRetries,
        onMaxAttempts: 'pause',
      },
    },
  });
};
