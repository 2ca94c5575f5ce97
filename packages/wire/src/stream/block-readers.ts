/**
 * Owns reading calls from streams that send an answer in blocks: Anthropic Messages and Bedrock Converse.
 *
 * Invariant: a block without a stop event is incomplete.
 */
import { isRecord, isText } from '../json.ts';
import { endingOf, laterReason } from '../responses/finish-reasons.ts';
import { CallDraft, type StreamReader } from './assembled-calls.ts';

interface Blocks {
  readonly start: (index: unknown, id: unknown, name: unknown, input: unknown) => void;
  readonly add: (index: unknown, text: unknown) => void;
  readonly stop: (index: unknown) => void;
  readonly end: (reason: unknown) => void;
  readonly read: StreamReader['read'];
}

function blocks(format: string): Blocks {
  const drafts = new Map<unknown, CallDraft>();
  const all: CallDraft[] = [];
  let reason: string | undefined;
  return {
    start: (index, id, name, input) => {
      const draft = new CallDraft(id, isText(name) ? name : '', true);
      if (isRecord(input) && Object.keys(input).length > 0) draft.append(input);
      drafts.set(index, draft);
      all.push(draft);
    },
    add: (index, text) => drafts.get(index)?.append(text),
    stop: (index) => {
      const draft = drafts.get(index);
      if (draft) draft.open = false;
    },
    end: (given) => {
      reason = laterReason(reason, given, format);
    },
    read: () => ({ drafts: all, reason, ending: endingOf(reason, format) }),
  };
}

export function anthropicReader(): StreamReader {
  const { start, add, stop, end, read } = blocks('anthropic-messages');
  return {
    read,
    push: (event) => {
      if (!isRecord(event)) return;
      const { type, index, content_block: block, delta } = event;
      if (type === 'content_block_start') {
        // A block of another kind may reuse the index of a call in an earlier answer.
        if (isRecord(block) && block['type'] === 'tool_use') start(index, block['id'], block['name'], block['input']);
      } else if (type === 'content_block_delta' && isRecord(delta) && delta['type'] === 'input_json_delta')
        add(index, delta['partial_json']);
      else if (type === 'content_block_stop') stop(index);
      else if (type === 'message_delta' && isRecord(delta)) end(delta['stop_reason']);
      else if (type === 'error') end('error');
    },
  };
}

export function bedrockReader(): StreamReader {
  const { start, add, stop, end, read } = blocks('bedrock-converse');
  return {
    read,
    push: (event) => {
      if (!isRecord(event)) return;
      const { contentBlockStart: started, contentBlockDelta: delta, contentBlockStop: ended, messageStop: last } = event;
      if (isRecord(started) && isRecord(started['start']) && isRecord(started['start']['toolUse'])) {
        const { toolUseId, name, input } = started['start']['toolUse'];
        start(started['contentBlockIndex'], toolUseId, name, input);
      }
      if (isRecord(delta) && isRecord(delta['delta']) && isRecord(delta['delta']['toolUse']))
        add(delta['contentBlockIndex'], delta['delta']['toolUse']['input']);
      if (isRecord(ended)) stop(ended['contentBlockIndex']);
      if (isRecord(last)) end(last['stopReason']);
      for (const [name, value] of Object.entries(event)) if (name.endsWith('Exception') && isRecord(value)) end('error');
    },
  };
}
