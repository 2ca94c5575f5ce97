/** Owns `createOperation`: log and audit with one subscription to the trace. Neither can affect a call. */
import type { Redactor, ToolExecutionService } from '@holdfast/core';
import type { ClientCircuits } from '../access/client-circuits.ts';
import type { ModelReport } from '../model-proxy/settings.ts';
import type { Announce } from './announcement.ts';
import { type Audit, openAudit, type OperatorAction } from './audit.ts';
import { callLog } from './call-log.ts';
import { finishedCalls } from './finished-calls.ts';
import { lineBatch, standardErrorLines } from './line-batch.ts';

export interface OperationOptions {
  readonly service: Pick<ToolExecutionService, 'subscribe' | 'getToolHealth'>;
  /** Whose circuits calls use. @default those of the tools */
  readonly circuits?: Pick<ClientCircuits, 'ofCall'> | undefined;
  readonly log: 'json' | 'text' | 'off';
  /** Path of the audit file. */
  readonly audit: string | false;
  readonly redact: Redactor;
  /** Writes one or more complete lines. @default standard error */
  readonly write?: ((text: string) => void) | undefined;
  /** Called with a sentence about a failure of the log or the audit. */
  readonly onFault: (text: string) => void;
}

export interface Operation {
  readonly announce: Announce;
  /** Records an action of an operator in the audit. */
  readonly action: (action: OperatorAction) => void;
  /** Logs a repaired transcript, or a problem with a model's answer. */
  readonly modelReport: (report: ModelReport) => void;
  /** Writes waiting lines, and closes the audit file. */
  readonly close: () => Promise<void>;
}

const nothing: Operation = {
  announce: () => undefined,
  action: () => undefined,
  modelReport: () => undefined,
  close: () => Promise.resolve(),
};

export function createOperation({ service, circuits, log, audit: path, redact, write, onFault }: OperationOptions): Operation {
  if (log === 'off' && path === false) return nothing;
  const lines = lineBatch(write ?? standardErrorLines());
  const form = log === 'off' ? undefined : callLog(log, redact);
  const audit: Audit | undefined = path === false ? undefined : openAudit({ path, redact, onFault });
  const { announce, listen } = finishedCalls((call) => {
    if (form) {
      const partition = circuits?.ofCall(call.turnId, call.callId)?.(call.servedBy);
      lines.add(form.call(call, service.getToolHealth(call.servedBy, partition)));
    }
    audit?.add(call);
  });
  const stop = service.subscribe(listen);
  return {
    announce,
    action: (action) => audit?.addAction(action),
    modelReport: (report) => {
      if (form) lines.add(form.model(report, new Date().toISOString()));
    },
    close: async () => {
      stop();
      lines.flush();
      await audit?.close();
    },
  };
}
