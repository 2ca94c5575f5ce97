/** Owns registering a worker's address with Restate: once per address, not once per worker. */
import { checkOptions, fieldsOf, parseJsonOrUndefined, period, type Fields } from '@holdfast/core/internal/plain';
import { addressRule, headersRule } from './address-rule.ts';
import { boundedRequest, withoutSecrets } from './bounded-request.ts';
import { engineUnavailable } from './engine-unavailable.ts';

/** Where Restate is and where it reaches the workers. */
export interface RegisterDeploymentOptions {
  /** Restate's admin address, such as `http://127.0.0.1:9070`. */
  readonly adminUrl: string;
  /**
   * Where Restate reaches the workers. With more than one worker, use the address of their load balancer: a turn is bound to the address it began at, and
   * the address of a single worker is gone when the worker dies.
   */
  readonly url: string;
  /** Sent to the admin address. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether to read the workers' services again if the address is registered already. @default true */
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
  const { id } = fieldsOf(parseJsonOrUndefined(text));
  return typeof id === 'string' ? id : undefined;
};

const SHOWN = 500;

const deploymentFields: Fields = { adminUrl: addressRule, url: addressRule, headers: headersRule, force: 'boolean', timeoutMs: period };

/** Registers the workers' address with Restate. At least one worker must listen there. Rejects with the code `ENGINE_UNAVAILABLE` and Restate's message. */
export const registerDeployment = async (options: RegisterDeploymentOptions): Promise<RegisteredDeployment> => {
  checkOptions(deploymentFields, options, 'registerDeployment', ['adminUrl', 'url']);
  const answer = await boundedRequest({
    method: 'POST',
    url: new URL('/deployments', options.adminUrl).href,
    headers: options.headers ?? {},
    body: JSON.stringify({ uri: options.url, force: options.force ?? true }),
    timeoutMs: options.timeoutMs ?? 10_000,
  });
  const response = `(HTTP ${answer.status}): ${withoutSecrets(answer.text).slice(0, SHOWN)}`;
  if (answer.status >= 300)
    throw engineUnavailable('fault', `Restate did not accept the workers at ${withoutSecrets(options.url)} ${response}`);
  const deploymentId = idOf(answer.text);
  if (deploymentId === undefined) {
    throw engineUnavailable('fault', `The server at adminUrl = ${withoutSecrets(options.adminUrl)} is not Restate ${response}`);
  }
  return { deploymentId };
};
