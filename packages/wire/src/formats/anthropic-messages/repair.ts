/** Owns what the repair has to know of this format. */
import { repairBlocks } from '../block-contents.ts';
import { anthropicContents } from './contents.ts';
import { continuesThread } from '../../repair/repair-transcript.ts';
import { removeEmptyTurns, repairServerTools, repairSystemTurns } from './server-tools.ts';
import { repairThinking } from './thinking.ts';
import { placeInNextTurn } from '../../repair/place-in-turn.ts';
import { anthropicMessagesRules } from '../../profiles/anthropic-messages.ts';
import type { FormatRepair } from '../../repair/repair-transcript.ts';
import { anthropicMessages } from './codec.ts';

export const anthropicMessagesRepair: FormatRepair = {
  format: 'anthropic-messages',
  rules: anthropicMessagesRules,
  codec: anthropicMessages,
  contents: (message, context, isLast) => repairBlocks(message, context, isLast, anthropicContents),
  place: placeInNextTurn,
  isComplete: continuesThread,
  finish: (context) => {
    removeEmptyTurns(context);
    repairSystemTurns(context);
    repairServerTools(context);
    repairThinking(context);
  },
};
