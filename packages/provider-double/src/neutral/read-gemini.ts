/** Converts Gemini to the neutral request. */
import { callsIn, partsOf, responsesIn, type Call, type Content, type GenerateRequest } from '../rules/gemini/shape.ts';
import { fieldsOf, isRecord, isText, listOf, textOf } from '../rules/reading.ts';
import { message, roleOf, textIn, type NeutralContent, type NeutralMessage, type NeutralResult } from './neutral-request.ts';

interface Declaration {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly parameters?: unknown;
  readonly parametersJsonSchema?: unknown;
}

function readResponse({ id, response }: Call): NeutralResult {
  const fields = isRecord(response) ? response : {};
  const isError = fields['error'] !== undefined;
  const value = fields['error'] ?? fields['output'] ?? fields['content'] ?? fields['result'] ?? response;
  return { callId: textOf(id), text: isText(value) ? value : (JSON.stringify(value) ?? ''), isError };
}

const readContent = (content: unknown): NeutralMessage =>
  message(roleOf(fieldsOf<Content>(content).role), textIn(partsOf(content)), {
    calls: callsIn(content).map((call) => ({ id: textOf(call.id), name: textOf(call.name), arguments: call.args ?? {} })),
    results: responsesIn(content).map(readResponse),
  });

export function readGemini(body: unknown): NeutralContent {
  const request = fieldsOf<GenerateRequest & { readonly systemInstruction?: unknown; readonly system_instruction?: unknown }>(body);
  const system = request.systemInstruction ?? request.system_instruction;
  const systemMessages = system === undefined ? [] : [message('system', textIn(partsOf(system)))];
  const declarations = listOf(request.tools).flatMap((tool) =>
    listOf(fieldsOf<{ readonly functionDeclarations?: unknown }>(tool).functionDeclarations),
  );
  return {
    messages: [...systemMessages, ...listOf(request.contents).map(readContent)],
    tools: declarations.map((one) => {
      const { name, description, parameters, parametersJsonSchema } = fieldsOf<Declaration>(one);
      return { name: textOf(name), description: textOf(description), schema: parametersJsonSchema ?? parameters };
    }),
  };
}
