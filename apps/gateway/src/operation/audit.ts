/**
 * Owns the audit file: one JSON line for each call, appended.
 *
 * Invariants
 * 1. It never delays or fails a call: lines wait in a queue that is bounded, and what does not fit is counted.
 * 2. The file is for its owner alone (0600).
 * 3. An error of writing is told once, until writing works again.
 * 4. Arguments are never in it, only their hash.
 */
import { createHash } from 'node:crypto';
import type { Redactor } from '@holdfast/core';
import { canonicalJson } from '../catalog/canonical-json.ts';
import { type AppendFile, appendFile, type AppendFileOptions } from './append-file.ts';
import type { FinishedCall } from './finished-calls.ts';

export interface AuditOptions extends AppendFileOptions {
  /** For what clients choose themselves: their name, ids. @default as they are */
  readonly redact?: Redactor;
  /** Hears that writing failed, and that it works again. */
  readonly onFault: (text: string) => void;
  /** Lines that may wait. @default 10_000 */
  readonly maxWaiting?: number;
}

export interface Audit {
  readonly add: (call: FinishedCall) => void;
  /** Resolves when everything that waits is written, or cannot be. */
  readonly close: () => Promise<void>;
}

/** The hash of arguments in their canonical form: keys in order, no white space. `null` for those that have none. */
export function argumentsHash(args: unknown): string | null {
  if (args === undefined) return null;
  try {
    return createHash('sha256').update(canonicalJson(args)).digest('hex');
  } catch {
    // Deeper than the stack.
    return null;
  }
}

export function openAudit(options: AuditOptions): Audit {
  const { onFault, maxWaiting = 10_000, redact = asItIs } = options;
  const file: AppendFile = appendFile(options);
  let waiting: string[] = [];
  let lost = 0;
  let isFailing = false;
  let writing: Promise<void> | undefined;

  const fail = (error: unknown, lines: number): void => {
    lost += lines;
    if (!isFailing) onFault(`The audit file ${options.path} cannot be written: ${(error as Error).message}. Calls continue without it.`);
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
        if (isFailing) onFault(`The audit file ${options.path} is written again; ${gap} calls are missing in it.`);
        isFailing = false;
      } catch (error) {
        fail(error, lines.length);
      }
    }
    writing = undefined;
  };
  return {
    add: (call) => {
      if (waiting.length >= maxWaiting) lost++;
      else waiting.push(auditLine(call, redact));
      writing ??= Promise.resolve().then(writeAll);
    },
    close: async () => {
      await writing;
      await file.close().catch((error: unknown) => fail(error, 0));
    },
  };
}

const gapLine = (missing: number): string => JSON.stringify({ time: new Date().toISOString(), event: 'gap', missing });

const asItIs: Redactor = (text) => text;

function auditLine(call: FinishedCall, redact: Redactor): string {
  const foreign = (text: string): string => redact(text.slice(0, 300));
  return JSON.stringify({
    time: call.time,
    event: 'call',
    principal: call.principal ?? null,
    client: call.client === undefined ? null : foreign(call.client),
    era: call.era ?? null,
    tool_id: foreign(call.toolName),
    server: call.server ?? null,
    arguments_sha256: argumentsHash(call.arguments),
    outcome: call.outcome,
    code: call.code ?? null,
    attempts: call.attempts,
    served_by: foreign(call.servedBy),
    duration_ms: call.durationMs,
    call_id: foreign(call.callId),
    turn_id: foreign(call.turnId),
  });
}
