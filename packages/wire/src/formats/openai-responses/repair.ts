/** Owns what the repair has to know of this format. */
import { isText } from '../../json.ts';
import { arePlainlyValidItems } from '../../repair/plainly-valid.ts';
import { usableId } from '../../transcript.ts';
import { repairItem } from './item-contents.ts';
import { repairItems } from './reasoning.ts';
import { placeItems } from '../../repair/place-items.ts';
import { openaiResponsesRules } from '../../profiles/openai-responses.ts';
import type { FormatRepair } from '../../repair/repair-transcript.ts';
import { openaiResponses } from './codec.ts';

export const openaiResponsesRepair: FormatRepair = {
  format: 'openai-responses',
  rules: openaiResponsesRules,
  codec: openaiResponses,
  contents: repairItem,
  place: placeItems,
  isPlainlyValid: arePlainlyValidItems,
  isComplete: (request) => isText(request['input']) || 'prompt' in request || usableId(request['previous_response_id']) !== undefined,
  finish: repairItems,
};
