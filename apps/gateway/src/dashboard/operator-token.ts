/** Owns the token of the operator, for a gateway without tokens: anyone who can open the dashboard from the terminal that started it may act. */
import { randomBytes } from 'node:crypto';

/** Where a custom token is set. */
export const operatorVariable = 'HOLDFAST_OPERATOR_TOKEN';

const leastChars = 16;

/** The one of the environment, or a new one. @throws TypeError when the given one can be guessed, or cannot be sent. */
export function operatorToken(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment[operatorVariable];
  if (given === undefined) return randomBytes(32).toString('base64url');
  if (given.length < leastChars || !/^[!-~]+$/.test(given))
    throw new TypeError(
      `${operatorVariable} cannot be used: it has to be at least ${leastChars} printable ASCII characters without spaces, such as the output of "openssl rand -base64 32". Leave it unset to have one made.`,
    );
  return given;
}

/** The dashboard's address; the token is behind `#`, which no browser sends to anybody. */
export const dashboardAddress = (url: string, token: string | undefined): string =>
  token === undefined ? `${url}/` : `${url}/#token=${encodeURIComponent(token)}`;
