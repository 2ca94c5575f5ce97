/** Owns what tools in worker processes really did: written down before and after each, and still there when the process is killed. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
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

export const writeDeed = (path: string, deed: Deed): void => {
  const file = openSync(path, 'a');
  try {
    writeSync(file, `${JSON.stringify(deed)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

export const readDeeds = (path: string): readonly Deed[] => {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Deed);
  } catch {
    return [];
  }
};

/** One attempt of one call of one turn, whoever makes it. */
export const attemptOf = ({ turnId, callId, tool, attempt }: Deed): string => `${turnId} ${callId} ${tool}#${attempt}`;
