/** Owns what tools in worker processes really did: written down before and after each, and still there when the process is killed. */
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

/** In the system's hands when it returns: it outlives the process, if not the machine. */
export const writeDeed = (path: string, deed: Deed): void => appendFileSync(path, `${JSON.stringify(deed)}\n`);

export const readDeeds = (path: string): readonly Deed[] => {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Deed);
  } catch {
    return [];
  }
};

/** One attempt of one call of one turn, no matter who makes it. */
export const attemptOf = ({ turnId, callId, tool, attempt }: Deed): string => `${turnId} ${callId} ${tool}#${attempt}`;
