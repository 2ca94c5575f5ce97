/** Owns the record of what tools in worker processes did: written before and after each action, it survives the death of the process. */
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Deed {
  readonly phase: 'begin' | 'end';
  readonly tool: string;
  readonly turnId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly pid: number;
  readonly at: number;
}

export const freshDeeds = (): string => join(mkdtempSync(join(tmpdir(), 'holdfast-deeds-')), 'deeds.jsonl');

/** The operating system has it when this returns: it survives the process, but not the machine. */
export const writeDeed = (path: string, deed: Deed): void => appendFileSync(path, `${JSON.stringify(deed)}\n`);

export const readDeeds = (path: string): readonly Deed[] => {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Deed);
  } catch {
    return [];
  }
};

/** One attempt of one call of one turn, by any process. */
export const attemptOf = ({ turnId, callId, tool, attempt }: Deed): string => `${turnId} ${callId} ${tool}#${attempt}`;
