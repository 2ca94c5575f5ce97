/** The size of the heap after garbage collection. */
export async function heapAfterCollection(): Promise<number> {
  const collect = (globalThis as { readonly gc?: () => void }).gc;
  if (!collect) throw new Error('run with --expose-gc');
  for (let round = 0; round < 4; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

/** Active timers. */
export const timersSet = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
