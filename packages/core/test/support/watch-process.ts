/** Collects errors that would have ended the process. Wait for them with `await watch.look()`. */
export interface ProcessWatch {
  look(): Promise<readonly unknown[]>;
  stop(): void;
}

export function watchProcess(): ProcessWatch {
  const seen: unknown[] = [];
  const listener = (error: unknown): void => void seen.push(error);
  process.on('unhandledRejection', listener);
  process.on('uncaughtExceptionMonitor', listener);
  return {
    async look() {
      await new Promise((resolve) => setImmediate(resolve));
      return seen;
    },
    stop() {
      process.off('unhandledRejection', listener);
      process.off('uncaughtExceptionMonitor', listener);
    },
  };
}
