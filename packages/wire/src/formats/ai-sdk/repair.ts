/** Owns what the repair has to know of this format. */
import { isText } from '../../json.ts';
import { repairBlocks } from '../block-contents.ts';
import { aiSdkContents } from './contents.ts';
import { approvalsOf } from './approvals.ts';
import { placeOwnMessages } from '../../repair/place-own-messages.ts';
import { aiSdkRules } from '../../profiles/ai-sdk.ts';
import type { FormatRepair } from '../../repair/repair-transcript.ts';
import { aiSdk } from './codec.ts';

export const aiSdkRepair: FormatRepair = {
  format: 'ai-sdk',
  rules: aiSdkRules,
  codec: aiSdk,
  contents: (message, context, isLast) => repairBlocks(message, context, isLast, aiSdkContents),
  place: placeOwnMessages,
  isComplete: (request) => isText(request['prompt']),
  approvalsOf,
};
