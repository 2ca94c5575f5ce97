/** Owns what the repair has to know of this format. */
import { isPlainlyValidChat } from '../../repair/plainly-valid.ts';
import { repairChat } from './chat-contents.ts';
import { repairMessageNames } from './message-names.ts';
import { fillLostReasoning } from './reasoning.ts';
import { placeOwnMessages } from '../../repair/place-own-messages.ts';
import { openaiChatRules } from '../../profiles/openai-chat.ts';
import type { FormatRepair } from '../../repair/repair-transcript.ts';
import { openaiChat } from './codec.ts';

export const openaiChatRepair: FormatRepair = {
  format: 'openai-chat',
  rules: openaiChatRules,
  codec: openaiChat,
  contents: repairChat,
  place: placeOwnMessages,
  isPlainlyValid: isPlainlyValidChat,
  finish: (context) => {
    fillLostReasoning(context);
    repairMessageNames(context);
  },
};
