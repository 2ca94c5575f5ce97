/** Owns the schemas of `/v1/logins`. */
import { z } from '@hono/zod-openapi';
import type { LoginRequest } from '../../contract.ts';

const serverLogin = z
  .object({
    server: z.string(),
    principal: z.string().optional().openapi({ description: 'The client whose login it is. Absent for the login of the gateway.' }),
    state: z.enum(['logged_in', 'login_required']),
    reason: z.string().optional().openapi({ description: 'Why a login is required.' }),
    issuer: z.string().optional().openapi({ description: 'The authorization server.' }),
    account: z.string().optional().openapi({ description: 'The account at the server, if the authorization server has named it.' }),
    scopes: z.array(z.string()).optional(),
    obtained_at: z.iso.datetime().optional().openapi({ description: 'When the latest token was issued.' }),
    expires_at: z.iso.datetime().optional().openapi({ description: 'When that token ends.' }),
    is_renewable: z.boolean().optional().openapi({ description: 'Whether the gateway renews it without a person.' }),
    may_log_in: z.boolean().openapi({ description: 'Whether the caller may log in here.' }),
    may_log_out: z.boolean().openapi({ description: 'Whether the caller may end this login.' }),
  })
  .openapi('ServerLogin');

export const loginList: z.ZodType = z
  .object({
    logins: z.array(serverLogin),
    login_address: z.string().optional().openapi({ description: 'The address at which the dashboard has to be open for a login.' }),
    problem: z.string().optional().openapi({ description: 'Why no login in a browser is possible.' }),
  })
  .openapi('ServerLoginList');

const requestObject = z.strictObject({
  for: z.enum(['gateway', 'caller']).openapi({ description: 'Whose login it is: that of the gateway, or that of the caller.' }),
  link: z
    .string()
    .max(100)
    .optional()
    .openapi({ description: 'From the address that a client was given, in place of the operator token of a gateway without tokens.' }),
});

export const loginRequest: z.ZodType<LoginRequest> = requestObject.openapi('LoginRequest') as z.ZodType<LoginRequest>;

export const begunLogin: z.ZodType = z
  .object({
    url: z.string().openapi({ description: 'To be opened in the browser that has sent the request.' }),
    issuer: z.string(),
    scopes: z.array(z.string()),
  })
  .openapi('BegunLogin');

export const endedLogin: z.ZodType = z
  .object({
    was_known: z.boolean(),
    is_revoked: z.boolean().openapi({ description: 'Whether the authorization server has revoked the tokens.' }),
  })
  .openapi('EndedLogin');

const server = z.string().min(1).max(256).openapi({ description: 'Name of the server in the manifest.' });

export const loginParams: z.ZodType<{ readonly server: string }> = z.object({ server });

export const logoutQuery: z.ZodType<{ readonly principal?: string | undefined }> = z.object({
  principal: z.string().max(512).optional().openapi({ description: "Whose login it is. Default: the gateway's own." }),
});
