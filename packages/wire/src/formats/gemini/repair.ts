/** Owns what the repair has to know of this format. */
import { isList, isRecord, isText } from '../../json.ts';
import { repairBlocks } from '../block-contents.ts';
import { repairSignatures } from './signatures.ts';
import { placeInNextTurn } from '../../repair/place-in-turn.ts';
import type { FormatRepair } from '../../repair/repair-transcript.ts';
import { gemini } from './codec.ts';

export const geminiRepair: FormatRepair = {
  format: 'gemini',
  codec: gemini,
  contents: repairBlocks,
  place: placeInNextTurn,
  isComplete: ({ contents }) => isText(contents) || (isRecord(contents) && isList(contents['parts'])),
  finish: repairSignatures,
};
