/** Owns finding the credentials that a manifest takes from the environment, for redaction. */
import type { Manifest } from './manifest.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Shorter values may be ordinary words, such as a log level. */
const minSecretLength = 8;

/** The values of its references (`{ env: NAME }`), its tokens and `redact.environment`, if they are set. */
export function manifestSecrets(
  { redact, mcpServers, openapi, gateway, engine, store, alerts, tools }: Manifest,
  environment: Environment,
): readonly string[] {
  const named = [...redact.environment].flatMap((name) => environment[name] ?? []);
  const referred = references([mcpServers, openapi, gateway, engine, store, alerts, tools])
    .flatMap((name) => environment[name] ?? [])
    .filter((value) => value.length >= minSecretLength);
  return [...new Set([...named, ...referred, ...passwordsOf(store, environment)])];
}

function references(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { env } = value as { readonly env?: unknown };
  const below = Object.values(value).flatMap(references);
  return typeof env === 'string' ? [env, ...below] : below;
}

/** The password of an address, which may also occur without the rest of it. */
function passwordsOf(store: Manifest['store'], environment: Environment): readonly string[] {
  if (store === false || !('postgres' in store)) return [];
  const { url } = store.postgres;
  const text = typeof url === 'string' ? url : environment[url.env];
  if (text === undefined || !URL.canParse(text)) return [];
  const { password } = new URL(text);
  return password === '' ? [] : [...new Set([password, decodedOf(password)])];
}

function decodedOf(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
