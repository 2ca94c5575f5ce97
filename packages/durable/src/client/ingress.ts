/** Owns the requests about one turn to Restate's ingress. */
import { boundedRequest, type EngineAnswer } from '../engine/bounded-request.ts';

export interface IngressOptions {
  readonly ingressUrl: string;
  readonly serviceName: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface Ingress {
  submit(turnId: string, body: string): Promise<EngineAnswer>;
  cancel(turnId: string, body: string): Promise<EngineAnswer>;
  /** Leaves events of a finished turn for its store. */
  record(turnId: string, body: string): Promise<EngineAnswer>;
  /** Returns at once. */
  output(turnId: string): Promise<EngineAnswer>;
  /** Resolves when the turn is over. */
  attach(turnId: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<EngineAnswer>;
  health(): Promise<EngineAnswer>;
}

export const createIngress = ({ ingressUrl, serviceName, headers, timeoutMs }: IngressOptions): Ingress => {
  const urlOf = (path: string): string => `${ingressUrl.replace(/\/+$/, '')}${path}`;
  const post = (path: string, body: string): Promise<EngineAnswer> =>
    boundedRequest({ method: 'POST', url: urlOf(path), headers, body, timeoutMs });
  const keptPath = (turnId: string, what: 'output' | 'attach'): string =>
    urlOf(`/restate/workflow/${serviceName}/${encodeURIComponent(turnId)}/${what}`);
  return {
    submit: (turnId, body) => post(`/${serviceName}/${encodeURIComponent(turnId)}/run/send`, body),
    record: (turnId, body) => post(`/${serviceName}/${encodeURIComponent(turnId)}/record/send`, body),
    cancel: (turnId, body) => post(`/${serviceName}/${encodeURIComponent(turnId)}/cancel/send`, body),
    output: (turnId) => boundedRequest({ method: 'GET', url: keptPath(turnId, 'output'), headers, timeoutMs }),
    attach: (turnId, limitMs, signal) =>
      boundedRequest({
        method: 'GET',
        url: keptPath(turnId, 'attach'),
        headers,
        timeoutMs: limitMs,
        ...(signal === undefined ? {} : { signal }),
      }),
    health: () => boundedRequest({ method: 'GET', url: urlOf('/restate/health'), headers, timeoutMs }),
  };
};
