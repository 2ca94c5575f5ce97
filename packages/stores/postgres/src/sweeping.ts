/**
 * Owns when retention runs: some time after opening, then every hour, step by step with pauses. Never keeps the process alive.
 */
const firstAfterMs = 5_000;
const everyMs = 3_600_000;
const pauseMs = 50;

/** `step` does one step and answers whether there is more to do. Answers how to stop it. */
export function startSweeping(step: () => Promise<boolean>): () => void {
  let timer: NodeJS.Timeout;
  let stopped = false;
  const sweep = async (): Promise<void> => {
    const more = await step();
    if (!stopped) timer = setTimeout(() => void sweep(), more ? pauseMs : everyMs).unref();
  };
  // Several processes start at once after a deployment.
  timer = setTimeout(() => void sweep(), firstAfterMs * (1 + Math.random())).unref();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
