/**
 * Owns asking the user of a client to log in to a server (URL elicitation), where the client can open an address.
 *
 * Invariants
 * 1. A client without the capability, and one that may not log in there, gets the error of its request.
 * 2. A request asks once. If the user declines, or the login does not come in time, it fails as it would without the question.
 * 3. The state that a client brings back decides only for which login its own request waits.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientRequest, type ConnectedClient, isJsonObject, type JsonObject, rpcError } from '@holdfast/mcp-wire/server';
import { accessOf } from '../access/access.ts';
import { urlElicitationRequired } from '../calls/tool-error.ts';
import { withParams } from '../calls/with-params.ts';
import { canAnswer } from '../relay/client-capabilities.ts';
import { type NeededLogin, neededLogin } from '../server-auth/auth-error.ts';
import type { LoginLinks } from './login-links.ts';
import type { ServerLogins } from './server-logins.ts';

export interface LoginPromptsOptions {
  readonly logins: Pick<ServerLogins, 'pageFor'>;
  readonly links: Pick<LoginLinks, 'add'>;
  readonly version: (login: NeededLogin) => Promise<string | undefined>;
  readonly publish: (method: string, params: JsonObject, isFor: (client: ConnectedClient) => boolean) => void;
  /** How long a request waits for the login. */
  readonly limitMs: () => number;
  /** @default 500 */
  readonly pollMs?: number | undefined;
}

/** A request after its question was answered. */
interface Resumed {
  readonly request: ClientRequest;
  /** The user was asked already. */
  readonly wasAsked: boolean;
}

type Handle = (request: ClientRequest) => Promise<JsonObject>;

/** Runs a request, and asks for the login that it has failed for. */
export type AskForLogin = Pick<LoginPrompts, 'around' | 'ask'>;

const statePrefix = 'holdfast-login:';
const questionKey = 'login';
/** The requests that the modern era allows to answer with a question. */
const interruptible: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);

export class LoginPrompts {
  readonly #options: LoginPromptsOptions;

  constructor(options: LoginPromptsOptions) {
    this.#options = options;
  }

  /** Rejects as `handle` does if the client cannot be asked for the login that is missing. */
  async around(given: ClientRequest, handle: Handle): Promise<JsonObject> {
    const { request, wasAsked } = await this.#resumed(given);
    try {
      return await handle(request);
    } catch (error) {
      const question = wasAsked ? undefined : await this.ask(request.client, request.method, error);
      if (question === undefined) throw error;
      return question;
    }
  }

  /**
   * The question for a modern client; `undefined` if no login is missing, or the client cannot be asked.
   * @throws RpcError for a legacy client, which learns from it where to log in
   */
  async ask(client: ConnectedClient, method: string, error: unknown): Promise<JsonObject | undefined> {
    const login = neededLogin(error);
    if (login === undefined || !canAnswer(client, 'elicitation/create', { mode: 'url' })) return undefined;
    if (client.era === 'modern' && !interruptible.has(method)) return undefined;
    const version = await this.#options.version(login).catch(() => undefined);
    let link: string | undefined;
    const linkOf = (): string => (link ??= this.#options.links.add(login, version, (id) => this.#tell(client, id)));
    const url = this.#options.logins.pageFor(accessOf(client), login, linkOf);
    if (url === undefined) return undefined;
    const message = `The MCP server '${login.server}' needs a login. Open this page and log in there; the request continues afterwards.`;
    if (client.era === 'legacy')
      throw rpcError(urlElicitationRequired, (error as Error).message, {
        elicitations: [{ mode: 'url', elicitationId: linkOf(), url, message }],
      });
    const state = { server: login.server, isGateway: login.principal === '', version };
    return {
      resultType: 'input_required',
      inputRequests: { [questionKey]: { method: 'elicitation/create', params: { mode: 'url', url, message } } },
      requestState: statePrefix + Buffer.from(JSON.stringify(state)).toString('base64url'),
    };
  }

  /** Waits for the login that the user was asked for. All other requests are returned as they are. */
  async #resumed(request: ClientRequest): Promise<Resumed> {
    const { requestState, inputResponses, ...params } = request.params;
    if (request.client.era !== 'modern' || typeof requestState !== 'string' || !requestState.startsWith(statePrefix))
      return { request, wasAsked: false };
    const answer = isJsonObject(inputResponses) ? inputResponses[questionKey] : undefined;
    const state = readState(requestState);
    if (state !== undefined && isJsonObject(answer) && answer['action'] === 'accept') await this.#wait(request, state);
    return { request: withParams(request, params), wasAsked: true };
  }

  async #wait({ client, signal }: ClientRequest, { server, isGateway, version }: LoginState): Promise<void> {
    const { limitMs, pollMs = 500 } = this.#options;
    const principal = isGateway ? '' : (accessOf(client).owner ?? '');
    const giveUpAt = performance.now() + limitMs();
    while (performance.now() < giveUpAt) {
      const now = await this.#options.version({ server, principal }).catch(() => undefined);
      if (now !== undefined && now !== version) return;
      await sleep(pollMs, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    }
  }

  #tell(asked: ConnectedClient, elicitationId: string): void {
    if (asked.era !== 'legacy' || asked.id === '') return;
    this.#options.publish('notifications/elicitation/complete', { elicitationId }, (client) => client.id === asked.id);
  }
}

interface LoginState {
  readonly server: string;
  readonly isGateway: boolean;
  readonly version: string | undefined;
}

function readState(text: string): LoginState | undefined {
  try {
    const state: unknown = JSON.parse(Buffer.from(text.slice(statePrefix.length), 'base64url').toString());
    if (!isJsonObject(state)) return undefined;
    const { server, isGateway, version } = state;
    if (typeof server !== 'string' || typeof isGateway !== 'boolean') return undefined;
    return { server, isGateway, version: typeof version === 'string' ? version : undefined };
  } catch {
    return undefined;
  }
}
