/**
 * Owns the turn as a Restate workflow: one per turn id, so that a turn that is submitted twice runs once.
 *
 * Handlers: `run` takes a `TurnRequest` and returns a `TurnRecord`; `cancel` takes `{ reason? }` and requests the turn's end; `record` takes `{ events }`, which the
 * store did not take at the turn's end, and stores them.
 */
import { fieldsOf, parseJsonOrUndefined } from '@holdfast/core/internal/plain';
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
import { createTurnRecorder, type TurnRecorder } from './turn-recorder.ts';
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

const requestOf = (turnId: string, text: string): TurnRequest => {
  const problem = turnIdProblem(turnId);
  if (problem !== undefined) throw new TerminalError(problem, { errorCode: REFUSED });
  const read = readTurnRequest(text);
  if (!read.ok) throw new TerminalError(read.problem, { errorCode: REFUSED });
  return read.request;
};

const run =
  ({ service }: CompleteTurnServiceOptions, recorder: TurnRecorder) =>
  async (workflow: WorkflowContext, text: string): Promise<string> => {
    const { plan, executionId = workflow.request().id, trace: withTrace = false } = requestOf(workflow.key, text);
    const turn = await runJournaledTurn({ service, turnId: workflow.key, plan, journal: createRestateJournal(workflow), executionId });
    const { trace, ...report } = turn;
    await recorder.settle(workflow.key, trace);
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

const record =
  (recorder: TurnRecorder) =>
  async (workflow: WorkflowSharedContext, text: string): Promise<string> => {
    await recorder.take(workflow.key, text);
    return '{}';
  };

/** The store may be away for long: nothing is given up before it is back. */
const recordRetries = {
  initialInterval: 500,
  exponentiationFactor: 2,
  maxInterval: 3000,
  maxAttempts: 1_000_000,
  onMaxAttempts: 'pause',
} as const;

/** The turns of a worker's service, for its Restate endpoint. */
export const createTurnService = (given: TurnServiceOptions): RestateService => {
  const options = completeTurnServiceOptions(given);
  const recorder = createTurnRecorder(options.record, options.serviceName);
  const texts = { input: textSerde, output: textSerde, accept: '*/*' };
  return defineWorkflow({
    name: options.serviceName,
    handlers: {
      run: handlers.workflow.workflow(texts, run(options, recorder)),
      cancel: handlers.workflow.shared({ ...texts, journalRetention: 0 }, cancel),
      record: handlers.workflow.shared({ ...texts, journalRetention: 0, retryPolicy: recordRetries }, record(recorder)),
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
