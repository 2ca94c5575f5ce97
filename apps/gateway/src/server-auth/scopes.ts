/**
 * Owns which scopes are requested: those that the server asked for, else those that it lists, and those of the manifest.
 */
import type { Discovery } from './discovery.ts';
import type { ProtectedServer } from './settings.ts';
import { unionOf } from './token.ts';

/** `isOffline`: the login should outlive the presence of the person, if the authorization server has a scope for that. */
export function scopesFor(
  { auth }: ProtectedServer,
  { challenge, resourceScopes, server }: Discovery,
  isOffline: boolean,
): readonly string[] {
  const base = auth.scopes ?? challenge?.scopes ?? resourceScopes ?? [];
  const hasOffline = isOffline && server.scopes_supported?.includes('offline_access') === true;
  return unionOf(base, hasOffline ? ['offline_access'] : []);
}
