/** Owns making a worker's address known to Restate: once per address, not once per worker. */
import { boundedRequest, withoutSecrets } from './bounded-request.ts';
import { engineUnavailable } from './engine-unavailable.ts';

/** Where Restate is and where it reaches the workers. */
export interface RegisterDeploymentOptions {
  /** Restate's admin address, such as `http://127.0.0.1:9070`. */
  readonly adminUrl: string;
  /**
   * Where Restate reaches the workers. With more than one worker that of the balancer in front of them: a turn is bound to the address it began at, and
   * an address of one worker dies with it.
   */
  readonly url: string;
  /** Sent to the admin address. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Read anew what the workers offer where the address is known already. @default true */
  readonly force?: boolean;
  /** @default 10000 */
  readonly timeoutMs?: number;
}

/** Restate's answer to a registration. */
export interface RegisteredDeployment {
  /** Restate's id of the deployment, as its own tools show it. */
  readonly deploymentId: string;
}

const idOf = (text: string): string | undefined => {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null && 'id' in answer && typeof answer.id === 'string' ? answer.id : undefined;
  } catch {
    return undefined;
  }
};

const SHOWN = 500;

/** Tells Restate where workers are. At least one has to listen there. Rejects with the code `ENGINE_UNAVAILABLE`, with what Restate said. */
export const registerDeployment = async (options: RegisterDeploymentOptions): Promise<RegisteredDeployment> => {
  const answer = await boundedRequest({
    method: 'POST',
    url: new URL('/deployments', options.adminUrl).href,
    headers: options.headers ?? {},
    body: JSON.stringify({ uri: options.url, force: options.force ?? true }),
    timeoutMs: options.timeoutMs ?? 10_000,
  });
  const said = `(HTTP ${answer.status}): ${withoutSecrets(answer.text).slice(0, SHOWN)}`;
  if (answer.status >= 300) throw engineUnavailable('fault', `Restate did not take the workers at ${withoutSecrets(options.url)} ${said}`);
  const deploymentId = idOf(answer.text);
  if (deploymentId === undefined) {
    throw engineUnavailable('fault', `What is at adminUrl = ${withoutSecrets(options.adminUrl)} does not answer as Restate does ${said}`);
  }
  return { deploymentId };
};
