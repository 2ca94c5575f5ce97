/** Owns what the repair has to know of this format. */
import { repairBlocks } from '../block-contents.ts';
import { bedrockContents } from './contents.ts';
import { repairToolConfig } from './tool-config.ts';
import { placeInNextTurn } from '../../repair/place-in-turn.ts';
import { bedrockConverseRules } from '../../profiles/bedrock-converse.ts';
import type { FormatRepair } from '../../repair/repair-transcript.ts';
import { bedrockConverse } from './codec.ts';

export const bedrockConverseRepair: FormatRepair = {
  format: 'bedrock-converse',
  rules: bedrockConverseRules,
  codec: bedrockConverse,
  contents: (message, context, isLast) => repairBlocks(message, context, isLast, bedrockContents),
  place: placeInNextTurn,
  finish: repairToolConfig,
};
