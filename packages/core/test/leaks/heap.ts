/** What is on the heap once everything that can go has gone. */
export async function heapAfterCollection(): Promise<number> {
  const collect = (globalThis as { readonly gc?: () => void }).gc;
  if (!collect) throw new Error('run with --expose-gc');
  for (let round = 0; round < 4; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

/** Timers that are set. */
export const timersSet = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
