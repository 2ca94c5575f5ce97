/**
 * Owns asking a legacy client the questions of a modern server (`input_required`).
 */
import { isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';

export const isInputRequired = (result: JsonObject): boolean => result['resultType'] === 'input_required';

/** Asks the client one question. */
export type AskClient = (method: string, params: JsonObject) => Promise<JsonObject>;

/**
 * Asks all questions of the result at the same time, and returns the params of the next request: `inputResponses` and `requestState`.
 * Rejects with the first refusal of the client.
 */
export async function answerInputs({ inputRequests, requestState }: JsonObject, askClient: AskClient): Promise<JsonObject> {
  const questions = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
  const answers = await Promise.all(
    questions.map(async ([key, question]): Promise<readonly [string, JsonObject]> => {
      if (!isJsonObject(question) || typeof question['method'] !== 'string')
        throw rpcError(rpcCodes.internalError, `The server asked an invalid question '${key}'`);
      return [key, await askClient(question['method'], isJsonObject(question['params']) ? question['params'] : {})];
    }),
  );
  return {
    ...(answers.length === 0 ? {} : { inputResponses: Object.fromEntries(answers) }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}
