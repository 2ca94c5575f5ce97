/**
 * Owns the errors of logins at servers. None of them contains a secret.
 */

/** Why there is no token for a server. */
export type AuthErrorCode =
  /** Someone has to log in. */
  | 'LOGIN_REQUIRED'
  /** The server wants a scope that was requested and not granted. */
  | 'SCOPE_REFUSED'
  /** The server, its authorization server or the manifest is not as it must be. */
  | 'AUTHORIZATION_FAILED'
  /** The authorization server does not answer, or has a temporary problem. */
  | 'AUTHORIZATION_SERVER_DOWN';

const loginCodes: ReadonlySet<unknown> = new Set<AuthErrorCode>(['LOGIN_REQUIRED', 'SCOPE_REFUSED', 'AUTHORIZATION_FAILED']);

/** Whether the code is of a failure that only a person can fix. */
export const isLoginCode = (code: unknown): code is AuthErrorCode => loginCodes.has(code);

export interface AuthError extends Error {
  readonly code: AuthErrorCode;
  readonly retryable: boolean;
  /** The login that is missing, if a person can log in. */
  login?: NeededLogin | undefined;
}

/** Whose login at which server. */
export interface NeededLogin {
  readonly server: string;
  /** `''`: the gateway's own. */
  readonly principal: string;
}

/** The request to the server was never sent, so the failure is never ambiguous. */
export function authError(code: AuthErrorCode, message: string, cause?: unknown): AuthError {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  error.name = 'AuthorizationError';
  return Object.assign(error, { code, retryable: code === 'AUTHORIZATION_SERVER_DOWN', ambiguous: false });
}

export function isAuthError(error: unknown, code?: AuthErrorCode): error is AuthError {
  if (!(error instanceof Error) || error.name !== 'AuthorizationError') return false;
  return code === undefined || (error as AuthError).code === code;
}

/** The error of a missing login that a person can fix. */
export function loginRequired(login: NeededLogin, message: string = `MCP server '${login.server}' needs a login`): AuthError {
  return Object.assign(authError('LOGIN_REQUIRED', message), { login });
}

/** The missing login that has made something fail, if a person can log in. */
export function neededLogin(error: unknown): NeededLogin | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1)
    if (isAuthError(at, 'LOGIN_REQUIRED')) return at.login;
  return undefined;
}
