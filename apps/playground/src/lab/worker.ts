/** The worker: simulations take seconds, and the page stays usable meanwhile. */
import type { Request, Response } from './job.ts';
import { answerTo, runJob, turnsOf } from './run-job.ts';

const send = (response: Response): void => globalThis.postMessage(response);

globalThis.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  try {
    if (data.kind === 'run') runJob(data.job, send);
    else send({ kind: 'calls', turns: turnsOf(data) });
  } catch (error) {
    send(answerTo(error));
  }
});
