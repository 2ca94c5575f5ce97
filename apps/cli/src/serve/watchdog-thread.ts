/** The thread of the watchdog: ends the process when its main thread has stopped, or has not ended in time. Started by `watchdog.ts`. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogData } from './watchdog.ts';

const { state, tickMs, frozenMs } = workerData as WatchdogData;
const fields = new Int32Array(state);
let beats = 0;
/** Time is counted in ticks of this thread, so that a suspended process is not taken for one that has stopped. */
let silentMs = 0;
let leftMs = 0;

setInterval(() => {
  const now = Atomics.load(fields, 0);
  silentMs = now === beats ? silentMs + tickMs : 0;
  beats = now;
  if (silentMs >= frozenMs) end(`The main thread has not responded for ${frozenMs} ms`);
  const limitMs = Atomics.load(fields, 1);
  leftMs = limitMs === 0 ? 0 : leftMs + tickMs;
  if (limitMs > 0 && leftMs >= limitMs) end(`The shutdown has taken more than ${limitMs} ms`);
}, tickMs);

function end(reason: string): void {
  const message = `${reason}: the process is ended.`;
  try {
    writeSync(2, `${JSON.stringify({ time: new Date().toISOString(), level: 'error', event: 'gateway', message })}\n`);
  } catch {
    // Standard error is closed.
  }
  process.kill(process.pid, 'SIGKILL');
}
