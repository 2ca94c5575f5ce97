/** Which test files reach which blocks of the sources: found out by running all of them on sources that note their blocks. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notingBlocks } from './blocks.ts';
import type { TestRuns } from './test-runs.ts';

export interface Reached {
  /** The test files that reach a block, those that take least time first. */
  testsOf(block: string): readonly string[];
}

/** Leaves the working copy as it was. @throws Error if a test fails */
export async function findReached(root: string, sources: readonly string[], runs: TestRuns): Promise<Reached> {
  const list = join(root, 'reached.jsonl');
  const edits = [
    ...sources.map((file) => ({ path: join(root, file), edit: (text: string) => notingBlocks(file, text) })),
    ...runs.files.map((path) => ({ path, edit: (text: string) => text + atEnd(path, list) })),
    // Each file loads the sources again: what they do only once would be seen in the first file alone.
    { path: join(root, 'vitest.config.ts'), edit: (text: string) => text.replaceAll('isolate: false', 'isolate: true') },
  ].map(({ path, edit }) => ({ path, edit, text: readFileSync(path, 'utf8') }));
  for (const { path, edit, text } of edits) writeFileSync(path, edit(text));
  writeFileSync(list, '');
  const answer = await runs.run({ files: runs.files, changed: edits.map(({ path }) => path) });
  for (const { path, text } of edits) writeFileSync(path, text);
  runs.stop();
  if (answer === 'hung') throw new Error('Without any fault the tests do not end.');
  if (answer.failed.length > 0) throw new Error(`Without any fault a test fails: ${JSON.stringify(answer.failed)}`);
  const lines = readFileSync(list, 'utf8').trim().split('\n');
  const byTest = lines.map((line) => JSON.parse(line) as { readonly test: string; readonly blocks: readonly string[] });
  const sets = byTest.map(({ test, blocks }) => ({ test, blocks: new Set(blocks), took: answer.durations[test] ?? 0 }));
  const inOrder = sets.toSorted((a, b) => a.took - b.took);
  return { testsOf: (block) => inOrder.filter(({ blocks }) => blocks.has(block)).map(({ test }) => test) };
}

const atEnd = (test: string, list: string): string => `
import { afterAll as afterAllOfFile } from 'vitest';
import { appendFileSync as noteReached } from 'node:fs';
afterAllOfFile(() => noteReached(${JSON.stringify(list)}, JSON.stringify({ test: ${JSON.stringify(test)}, blocks: [...(globalThis.reachedBlocks ?? [])] }) + '\\n'));
`;
