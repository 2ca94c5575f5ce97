/** Owns the schemas of what authorization servers and resources answer. Import it when there is an answer: it loads Zod. */
import type { AuthorizationServer } from 'oauth4webapi';
import { z } from 'zod';

const texts = z.array(z.string().max(2_048)).max(1_000);
const resourceMetadata = z.object({
  resource: z.string().max(4_096),
  authorization_servers: texts.optional(),
  scopes_supported: texts.optional(),
  dpop_bound_access_tokens_required: z.boolean().optional(),
});

export interface ResourceMetadata {
  readonly resource: string;
  readonly authorization_servers?: readonly string[] | undefined;
  readonly scopes_supported?: readonly string[] | undefined;
  readonly dpop_bound_access_tokens_required?: boolean | undefined;
}

export const readResourceMetadata = (body: unknown): ResourceMetadata | undefined => resourceMetadata.safeParse(body).data;

const serverMetadata = z.object({
  issuer: z.string().max(2_048),
  authorization_endpoint: z.string().optional(),
  token_endpoint: z.string().optional(),
  registration_endpoint: z.string().optional(),
  revocation_endpoint: z.string().optional(),
  device_authorization_endpoint: z.string().optional(),
  scopes_supported: texts.optional(),
  code_challenge_methods_supported: texts.optional(),
  grant_types_supported: texts.optional(),
  token_endpoint_auth_methods_supported: texts.optional(),
  token_endpoint_auth_signing_alg_values_supported: texts.optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  dpop_signing_alg_values_supported: texts.optional(),
});

export const readServerMetadata = (body: unknown): AuthorizationServer | undefined =>
  serverMetadata.safeParse(body).data as AuthorizationServer | undefined;

/** Some servers leave out required fields of the answer, so it is read with tolerance. */
const registration = z.object({
  client_id: z.string().min(1).max(4_096),
  client_secret: z.string().max(4_096).optional(),
  token_endpoint_auth_method: z.string().optional(),
});

export interface Registration {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly token_endpoint_auth_method?: string | undefined;
}

export const readRegistration = (body: unknown): Registration | undefined => registration.safeParse(body).data;
