/** Owns the operator token, for a gateway without tokens: the dashboard may act if it is opened with the address that the terminal shows. */
import { randomBytes } from 'node:crypto';

/** Environment variable for a custom token. */
export const operatorVariable = 'HOLDFAST_OPERATOR_TOKEN';

const minChars = 16;

/** Returns the token of the environment, or a new one. @throws TypeError for a token that is too short or cannot be sent in a header */
export function operatorToken(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment[operatorVariable];
  if (given === undefined) return randomBytes(32).toString('base64url');
  if (given.length < minChars || !/^[!-~]+$/.test(given))
    throw new TypeError(
      `${operatorVariable} is invalid: use at least ${minChars} printable ASCII characters without spaces, such as the output of "openssl rand -base64 32". Leave it unset to have a token generated.`,
    );
  return given;
}

/** Returns the URL of the dashboard. The token follows `#`, which browsers do not send to servers. */
export const dashboardAddress = (url: string, token: string | undefined): string =>
  token === undefined ? `${url}/` : `${url}/#token=${encodeURIComponent(token)}`;
