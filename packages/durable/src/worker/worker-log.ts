/** Owns what a worker says: Restate's SDK writes to the console otherwise, and more than anybody wants. */
import type { LoggerTransport } from '@restatedev/restate-sdk';

/** Something that whoever operates a worker may want to know. */
export interface WorkerLogEntry {
  readonly level: 'warn' | 'error';
  readonly message: string;
  readonly turnId?: string;
  readonly invocationId?: string;
}

export type WorkerLog = (entry: WorkerLogEntry) => void;

/** Said at each start. Whoever wants requests to be signed sets `identityKeys`. */
const UNSIGNED = 'Accepting requests without validating';

const textOf = (part: unknown): string => {
  if (typeof part === 'string') return part;
  return part instanceof Error ? (part.stack ?? part.message) : String(part);
};

export const createLogTransport =
  (log: WorkerLog): LoggerTransport =>
  ({ level, context }, message: unknown, ...rest: readonly unknown[]) => {
    const text = String(level);
    if (text !== 'warn' && text !== 'error') return;
    const said = [message, ...rest].map(textOf).join(' ');
    if (said.startsWith(UNSIGNED)) return;
    log({
      level: text,
      message: said,
      ...(context?.key === undefined ? {} : { turnId: context.key }),
      ...(context === undefined ? {} : { invocationId: context.invocationId }),
    });
  };
