/** Owns the worker of the page. A new request ends the one before: its worker is terminated in the middle of it. */
import type { Request, Response } from './job.ts';

export interface LabClient {
  ask(request: Request): void;
  close(): void;
}

export function createLabClient(onResponse: (response: Response) => void): LabClient {
  let worker: Worker | undefined;
  const end = (): void => {
    worker?.terminate();
    worker = undefined;
  };
  return {
    ask(request) {
      end();
      const fresh = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
      worker = fresh;
      const receive = (response: Response): void => {
        if (worker === fresh) onResponse(response);
      };
      fresh.addEventListener('message', ({ data }: MessageEvent<Response>) => receive(data));
      fresh.addEventListener('error', ({ message }) => receive({ kind: 'failed', message }));
      fresh.postMessage(request);
    },
    close: end,
  };
}
