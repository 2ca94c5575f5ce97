/** MiniMax. */
import { openai, type ChatDialect, type Words } from '../dialect.ts';

const bad = (message: string): Words => ({ message: `invalid params, ${message} (2013)`, type: 'bad_request_error' });

export const minimax: ChatDialect = {
  ...openai,
  limits: false,
  missing: () => bad('tool call result does not follow tool call'),
  orphan: (id) => bad(`tool result's tool id (${id}) not found`),
  duplicate: () => bad('tool call result does not follow tool call'),
};
