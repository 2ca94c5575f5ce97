/** Owns the composition of what people need to log in to servers in a browser, and what operators see of missing logins. */
import type { Manifest } from '@holdfast/manifest';
import type { AccessRules } from '../access/access-rules.ts';
import type { NeededLogin } from '../server-auth/auth-error.ts';
import { LoginLinks } from '../server-logins/login-links.ts';
import { LoginPrompts, type LoginPromptsOptions } from '../server-logins/login-prompts.ts';
import { MissingLogins } from '../server-logins/missing-logins.ts';
import { ServerLogins } from '../server-logins/server-logins.ts';
import type { UpstreamStatus } from '../upstreams/upstream.ts';
import type { ToolRuntime } from './tool-runtime.ts';

export interface LoginPartsOptions {
  readonly runtime: Pick<ToolRuntime, 'serverAuth' | 'upstreamStatus' | 'close' | 'redact'>;
  readonly access: AccessRules;
  readonly current: () => Manifest;
  readonly address: () => string | undefined;
  readonly hasDashboard: boolean;
  readonly publish: LoginPromptsOptions['publish'];
}

export interface LoginParts extends Pick<ToolRuntime, 'upstreamStatus' | 'close'> {
  readonly logins: ServerLogins;
  readonly prompts: LoginPrompts;
}

export function createLoginParts({ runtime, access, current, address, hasDashboard, publish }: LoginPartsOptions): LoginParts {
  const { serverAuth: auth, redact } = runtime;
  const version = async ({ server, principal }: NeededLogin): Promise<string | undefined> => {
    const entry = current().mcpServers[server];
    return entry === undefined ? undefined : auth.version(server, entry, principal);
  };
  const links = new LoginLinks({ version });
  const logins = new ServerLogins({
    auth,
    current,
    address,
    redact,
    keepsApart: () => access.keepsApart,
    mayCall: (token) => access.ofName(token).roles.has('call'),
    hasPage: hasDashboard,
    isLink: (link, server) => links.isFor(link, server),
    onDone: () => {
      void links.check();
      missing.look();
    },
  });
  const missing = new MissingLogins({
    servers: () => Object.entries(current().mcpServers),
    missing: (name, entry) => logins.missing(name, entry),
  });
  const withMissing = (status: UpstreamStatus): UpstreamStatus => {
    const loginsMissing = missing.at(status.name);
    return loginsMissing.length === 0 ? status : { ...status, loginsMissing };
  };
  return {
    logins,
    prompts: new LoginPrompts({ logins, links, version, publish, limitMs: () => current().gateway.inputTimeoutMs }),
    upstreamStatus: () => runtime.upstreamStatus().map(withMissing),
    close() {
      links.close();
      return runtime.close();
    },
  };
}
