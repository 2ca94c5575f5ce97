/** Owns the tools of the tests' workers. Each follows its arguments and records what it does. */
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { defineTool, type AnyTool, type AttemptContext } from '@holdfast/core';
import { writeToolLog, type ToolLogEntry } from './tool-log.ts';

export interface WorkArguments {
  readonly ms?: number;
  /** Works until this file exists. */
  readonly until?: string;
  readonly size?: number;
}

type Work = (args: WorkArguments, context: AttemptContext) => unknown;

const never = (): Promise<never> => new Promise(() => undefined);

const transient = (): never => {
  throw Object.assign(new Error('connection reset'), { code: 'ECONNRESET' });
};

const permanent = (): never => {
  throw Object.assign(new Error('no such account'), { status: 404 });
};

const works: Readonly<Record<string, Work>> = {
  work: ({ size }, { callId }) => ({ by: callId, ...(size === undefined ? {} : { text: 'x'.repeat(size) }) }),
  shaky: (_args, { callId, attempt }) => (attempt === 1 ? transient() : { by: callId, attempt }),
  broken: permanent,
  spare: (_args, { callId }) => ({ by: callId, spare: true }),
  pay: (_args, { callId }) => ({ paid: callId }),
  hang: never,
};

const policies: Readonly<Record<string, object>> = {
  broken: { alternatives: ['spare'] },
  pay: { effect: 'unsafe' },
};

export const createTools = (toolLog: string): readonly AnyTool[] =>
  Object.entries(works).map(([tool, work]): AnyTool =>
    defineTool({
      ...policies[tool],
      name: tool,
      run: async (args: WorkArguments, context) => {
        const { turnId, callId, attempt, idempotencyKey } = context;
        const tell = (phase: ToolLogEntry['phase']): void =>
          writeToolLog(toolLog, { phase, tool, turnId, callId, attempt, idempotencyKey, pid: process.pid, at: Date.now() });
        tell('begin');
        if (args.ms !== undefined) await wait(args.ms);
        while (args.until !== undefined && !existsSync(args.until)) await wait(10);
        try {
          return await work(args, context);
        } finally {
          tell('end');
        }
      },
    }),
  );

/** Throws synchronously. */
export const throwing: AnyTool = defineTool({
  name: 'throwing',
  run: () => {
    throw new Error('not today');
  },
});
