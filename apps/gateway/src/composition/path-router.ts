/**
 * Owns which part of the gateway handles an HTTP path other than `/mcp`. Heavy parts are loaded by their first request.
 */
import type { RestCaller } from '../http/options.ts';
import type { Api } from '../api/parts.ts';
import type { Dashboard } from '../dashboard/dashboard.ts';
import { isDashboard } from '../dashboard/paths.ts';
import { isLoginPath } from '../server-logins/browser-address.ts';
import type { ModelProxy } from '../model-proxy/settings.ts';
import { modelProviders } from '../model-proxy/settings.ts';

export interface PathHandlers {
  /** Answers a scrape. */
  readonly metrics: (request: Request) => Response;
  /** Answers health checks, which must work when everything else fails; `undefined` for every other path. */
  readonly health: (request: Request) => Response | undefined;
  /** Serves the dashboard; `undefined` without one. */
  readonly dashboard: Dashboard | undefined;
  /** Answers the way back of browsers from a login, and client metadata documents. */
  readonly logins: (request: Request, target: string) => Promise<Response>;
  readonly api: () => Promise<Api>;
  readonly models: () => Promise<ModelProxy>;
}

export type PathRouter = (request: Request, caller: RestCaller) => Promise<Response>;

export function createPathRouter({ metrics, health, dashboard, logins, api, models }: PathHandlers): PathRouter {
  return async (request, caller) => {
    const path = rawPath(request.url);
    if (isModelPath(path)) return (await models()).fetch(request, path);
    if (dashboard && isDashboard(request.method, path)) return dashboard.fetch(request, path);
    if (isLoginPath(path)) return logins(request, rawTarget(request.url));
    if (path === '/metrics' && (request.method === 'GET' || request.method === 'HEAD')) return metrics(request);
    return health(request) ?? (await api()).fetch(request, caller);
  };
}

const rawTarget = (url: string): string => url.slice(url.indexOf('/', url.indexOf('//') + 2));

/** Returns the path as sent: a provider may distinguish `%2F` from `/`. */
function rawPath(url: string): string {
  const afterHost = rawTarget(url);
  const end = afterHost.search(/[?#]/);
  return end === -1 ? afterHost : afterHost.slice(0, end);
}

const isModelPath = (path: string): boolean =>
  modelProviders.some((provider) => path === `/${provider}` || path.startsWith(`/${provider}/`));
