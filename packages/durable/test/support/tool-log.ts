/** Owns the record of what tools in worker processes did: written before and after each action, it survives the death of the process. */
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ToolLogEntry {
  readonly phase: 'begin' | 'end';
  readonly tool: string;
  readonly turnId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly pid: number;
  readonly at: number;
}

export const newToolLog = (): string => join(mkdtempSync(join(tmpdir(), 'holdfast-tool-log-')), 'tool-log.jsonl');

/** The operating system has it when this returns: it survives the process, but not the machine. */
export const writeToolLog = (path: string, entry: ToolLogEntry): void => appendFileSync(path, `${JSON.stringify(entry)}\n`);

export const readToolLog = (path: string): readonly ToolLogEntry[] => {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as ToolLogEntry);
  } catch {
    return [];
  }
};

/** One attempt of one call of one turn, by any process. */
export const attemptOf = ({ turnId, callId, tool, attempt }: ToolLogEntry): string => `${turnId} ${callId} ${tool}#${attempt}`;
