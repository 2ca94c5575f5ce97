/**
 * Owns asking a legacy client what a modern server wants to know before it answers (`input_required`).
 */
import { isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';

export const isInputRequired = (result: JsonObject): boolean => result['resultType'] === 'input_required';

/** Asks the client one thing. */
export type AskClient = (method: string, params: JsonObject) => Promise<JsonObject>;

/**
 * Asks all that the result wants to know, at the same time, and answers the params of the next request: `inputResponses` and `requestState`.
 * Rejects with the first refusal of the client.
 */
export async function answerInputs({ inputRequests, requestState }: JsonObject, askClient: AskClient): Promise<JsonObject> {
  const wanted = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
  const answers = await Promise.all(
    wanted.map(async ([key, wish]): Promise<readonly [string, JsonObject]> => {
      if (!isJsonObject(wish) || typeof wish['method'] !== 'string')
        throw rpcError(rpcCodes.internalError, `The server asked for input '${key}' without saying what`);
      return [key, await askClient(wish['method'], isJsonObject(wish['params']) ? wish['params'] : {})];
    }),
  );
  return {
    ...(answers.length === 0 ? {} : { inputResponses: Object.fromEntries(answers) }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}
