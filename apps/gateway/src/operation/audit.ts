/**
 * Owns the audit file: one JSON line for each call and for each action of an operator, appended.
 *
 * Invariants
 * 1. It never delays or fails a call: lines wait in a bounded queue, and lines that do not fit are counted.
 * 2. Only its owner can read the file (0600).
 * 3. A write error is reported once, until writing works again.
 * 4. It never contains arguments, only their hash.
 */
import { createHash } from 'node:crypto';
import type { Redactor } from '@holdfast/core';
import { canonicalJson } from '../catalog/canonical-json.ts';
import { type AppendFile, appendFile, type AppendFileOptions } from './append-file.ts';
import type { FinishedCall } from './finished-calls.ts';

export interface AuditOptions extends AppendFileOptions {
  /** Redacts what clients choose: their name, ids. @default unchanged */
  readonly redact?: Redactor;
  /** Called when writing fails, and when it works again. */
  readonly onFault: (text: string) => void;
  /** Maximum number of waiting lines. @default 10_000 */
  readonly maxWaiting?: number;
}

/** What an operator has done: a command for a circuit, or a login. */
export interface OperatorAction {
  /** In a sentence that begins with the name of the operator. */
  readonly text: string;
  readonly tool_id?: string | undefined;
}

export interface Audit {
  readonly add: (call: FinishedCall) => void;
  readonly addAction: (action: OperatorAction) => void;
  /** Resolves when all waiting lines are written, or writing has failed. */
  readonly close: () => Promise<void>;
}

/** Returns the hash of arguments in canonical form: sorted keys, no white space. `null` for arguments without one. */
export function argumentsHash(args: unknown): string | null {
  if (args === undefined) return null;
  try {
    return createHash('sha256').update(canonicalJson(args)).digest('hex');
  } catch {
    // Nested too deeply for recursion.
    return null;
  }
}

export function openAudit(options: AuditOptions): Audit {
  const { onFault, maxWaiting = 10_000, redact = keepText } = options;
  const file: AppendFile = appendFile(options);
  let waiting: string[] = [];
  let lost = 0;
  let isFailing = false;

  const fail = (error: unknown, lines: number): void => {
    lost += lines;
    if (!isFailing)
      onFault(`The audit file ${options.path} cannot be written: ${(error as Error).message}. Calls continue without the audit.`);
    isFailing = true;
  };
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      const gap = lost;
      const text = `${gap === 0 ? '' : `${gapLine(gap)}\n`}${lines.join('\n')}\n`;
      try {
        await file.append(text);
        lost -= gap;
        if (isFailing) onFault(`The audit file ${options.path} is written again; ${gap} calls are missing.`);
        isFailing = false;
      } catch (error) {
        fail(error, lines.length);
      }
    }
    writing = undefined;
  };
  // A path that cannot be written is reported at the start, not at the first call.
  let writing: Promise<void> | undefined = file
    .append('')
    .catch((error: unknown) => fail(error, 0))
    .then(writeAll);
  const add = (line: () => string): void => {
    if (waiting.length >= maxWaiting) lost++;
    else waiting.push(line());
    writing ??= Promise.resolve().then(writeAll);
  };
  return {
    add: (call) => add(() => auditLine(call, redact)),
    addAction: (action) => add(() => actionLine(action, redact)),
    close: async () => {
      await writing;
      await file.close().catch((error: unknown) => fail(error, 0));
    },
  };
}

const gapLine = (missing: number): string => JSON.stringify({ time: new Date().toISOString(), event: 'gap', missing });

const actionLine = ({ text, tool_id }: OperatorAction, redact: Redactor): string =>
  JSON.stringify({
    time: new Date().toISOString(),
    event: 'operator_action',
    tool_id: tool_id ?? null,
    text: redact(text.slice(0, 1_000)),
  });

const keepText: Redactor = (text) => text;

function auditLine(call: FinishedCall, redact: Redactor): string {
  const clean = (text: string): string => redact(text.slice(0, 300));
  return JSON.stringify({
    time: call.time,
    event: 'call',
    principal: call.principal ?? null,
    client: call.client === undefined ? null : clean(call.client),
    era: call.era ?? null,
    tool_id: clean(call.toolName),
    server: call.server ?? null,
    arguments_sha256: argumentsHash(call.arguments),
    outcome: call.outcome,
    code: call.code ?? null,
    attempts: call.attempts,
    served_by: clean(call.servedBy),
    duration_ms: call.durationMs,
    call_id: clean(call.callId),
    turn_id: clean(call.turnId),
  });
}
