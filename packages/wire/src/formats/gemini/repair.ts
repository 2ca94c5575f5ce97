/** Owns what the repair has to know of this format. */
import { isList, isRecord, isText } from '../../json.ts';
import { repairBlocks } from '../block-contents.ts';
import { geminiContents } from './contents.ts';
import { repairSignatures } from './signatures.ts';
import { placeInNextTurn } from '../../repair/place-in-turn.ts';
import { geminiRules } from '../../profiles/gemini.ts';
import type { FormatRepair } from '../../repair/repair-transcript.ts';
import { gemini } from './codec.ts';

export const geminiRepair: FormatRepair = {
  format: 'gemini',
  rules: geminiRules,
  codec: gemini,
  contents: (message, context, isLast) => repairBlocks(message, context, isLast, geminiContents),
  place: placeInNextTurn,
  isComplete: ({ contents }) => isText(contents) || (isRecord(contents) && isList(contents['parts'])),
  finish: repairSignatures,
};
