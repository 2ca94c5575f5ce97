/** Owns the repair of a request whose URL contains the model name, on which rules depend. */
import { type JsonObject } from '../json.ts';
import { repair } from '../repair/repair.ts';
import type { Repaired } from '../repair/repair-transcript.ts';
import type { StreamFormat } from '../stream/assemble-stream.ts';
import type { ModelRequest } from './model-request.ts';

const addresses: Readonly<Partial<Record<StreamFormat, RegExp>>> = {
  gemini: /\/((?:tuned)?models\/[^/:?#]+):/i,
  'anthropic-messages': /\/publishers\/anthropic\/models\/([^/:?#]+):/,
  'bedrock-converse': /\/model\/([^/?#]+)\/converse/,
};

export function repairModelRequest(
  { url, format, body }: Pick<ModelRequest, 'url' | 'format' | 'body'>,
  profile: string | undefined,
): Repaired<JsonObject> {
  const model = modelOfUrl(url, format);
  const field = format === 'bedrock-converse' ? 'modelId' : 'model';
  if (model === undefined || field in body) return repair(body, { format, profile });
  const named: JsonObject = { ...body, [field]: model };
  const repaired = repair(named, { format, profile });
  if (repaired.request === named) return { ...repaired, request: body };
  const { [field]: _named, ...request } = repaired.request;
  return { ...repaired, request };
}

function modelOfUrl(url: string, format: StreamFormat): string | undefined {
  const found = addresses[format]?.exec(url)?.[1];
  try {
    return found === undefined ? undefined : decodeURIComponent(found);
  } catch {
    return found;
  }
}
