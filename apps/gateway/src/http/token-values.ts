/** Owns reading the values of the manifest's tokens. */
import type { GatewayToken } from '@holdfast/manifest';
import type { AccessToken } from './options.ts';

/** @throws TypeError that names a token without a usable value, and the fix */
export function accessTokens(tokens: readonly GatewayToken[], environment: NodeJS.ProcessEnv = process.env): readonly AccessToken[] {
  const names = new Map<string, string>();
  return tokens.map(({ name, env }, index) => {
    const secret = environment[env];
    if (secret === undefined || secret === '')
      throw new TypeError(
        `gateway.tokens[${index}]: the environment variable ${env} of the token '${name}' is ${secret === undefined ? 'not set' : 'empty'}. Set it to a long random value, or remove the token.`,
      );
    const place = `gateway.tokens[${index}]: the environment variable ${env} of the token '${name}'`;
    if (!/^[!-~](?:[ -~]*[!-~])?$/.test(secret))
      throw new TypeError(
        `${place} has a character that no client can send: a line break, a space at an end, or one outside of ASCII. Set it to the output of a command such as openssl rand -base64 32.`,
      );
    const other = names.get(secret);
    if (other !== undefined)
      throw new TypeError(
        `${place} has the value of the token '${other}', so that their clients could not be told apart. Set it to another value.`,
      );
    names.set(secret, name);
    return { name, secret };
  });
}
