/** Owns reading the values of the manifest's tokens. */
import type { GatewayToken } from '@holdfast/manifest';
import type { AccessToken } from './options.ts';

/** @throws TypeError that names a token without a value, and the fix */
export function accessTokens(tokens: readonly GatewayToken[], environment: NodeJS.ProcessEnv = process.env): readonly AccessToken[] {
  return tokens.map(({ name, env }, index) => {
    const secret = environment[env];
    if (secret === undefined || secret === '')
      throw new TypeError(
        `gateway.tokens[${index}]: the environment variable ${env} of the token '${name}' is ${secret === undefined ? 'not set' : 'empty'}. Set it to a long random value, or remove the token.`,
      );
    return { name, secret };
  });
}
