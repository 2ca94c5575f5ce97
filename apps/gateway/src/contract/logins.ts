/** Owns the types of answers about logins to MCP servers. Types only. No answer contains a token. */

/** A login to one MCP server: that of the gateway, or that of one client. */
export interface ServerLogin {
  /** Name of the server in the manifest. */
  readonly server: string;
  /** The client whose login it is. Absent for the login of the gateway, which all clients use if the server does not keep them apart. */
  readonly principal?: string;
  /** `login_required`: there is none, or it has ended. */
  readonly state: 'logged_in' | 'login_required';
  /** Why a login is required, without secrets. Absent until a request has needed it. */
  readonly reason?: string;
  /** The authorization server. */
  readonly issuer?: string;
  /** The account at the server, if the authorization server has named it. */
  readonly account?: string;
  /** Scopes as granted, or as requested if the authorization server does not tell. */
  readonly scopes?: readonly string[];
  /** When the latest token was issued. */
  readonly obtained_at?: string;
  /** When that token ends. Absent if the authorization server does not tell. */
  readonly expires_at?: string;
  /** Whether the gateway renews it without a person. */
  readonly is_renewable?: boolean;
  /** Whether the caller may log in here. */
  readonly may_log_in: boolean;
  /** Whether the caller may end this login. */
  readonly may_log_out: boolean;
}

/** `GET /v1/logins`: the logins to MCP servers that the caller may see. */
export interface ServerLoginList {
  /** In the order of the manifest; the login of the gateway first, then those of clients. */
  readonly logins: readonly ServerLogin[];
  /** The address at which the dashboard has to be open for a login. Absent if no login in a browser is possible. */
  readonly login_address?: string;
  /** Why no login in a browser is possible. */
  readonly problem?: string;
}

/** The body of `POST /v1/logins/{server}`. */
export interface LoginRequest {
  /** Whose login it is: that of the gateway, or that of the caller. */
  readonly for: 'gateway' | 'caller';
  /** From the address that a client was given: a gateway without tokens accepts it in place of the operator token. */
  readonly link?: string;
}

/** `POST /v1/logins/{server}`: a login that waits for a person, for ten minutes. */
export interface BegunLogin {
  /** To be opened in the browser that has sent the request. */
  readonly url: string;
  /** The authorization server. */
  readonly issuer: string;
  /** The requested scopes. */
  readonly scopes: readonly string[];
}

/** `DELETE /v1/logins/{server}`: what a logout has done. */
export interface EndedLogin {
  /** There was a login. */
  readonly was_known: boolean;
  /** The authorization server has revoked its tokens. */
  readonly is_revoked: boolean;
}
