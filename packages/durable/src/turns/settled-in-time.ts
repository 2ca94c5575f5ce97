/** Owns waiting for the store at a turn's end: a store that hangs or fails does not delay the result for long. */

const SETTLE_MS = 1000;

/** Resolves when it has settled or takes too long. */
export const settledInTime = async (settle: () => Promise<unknown>, limitMs: number = SETTLE_MS): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  const settled = (async () => settle())().catch(() => undefined);
  await Promise.race([settled, late]);
  clearTimeout(timer);
};
