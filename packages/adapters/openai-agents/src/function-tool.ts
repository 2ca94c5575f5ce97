/**
 * Owns wrapping a function tool of the SDK so that the service runs it. Only its execution, and its description while it fails, differ.
 *
 * Invariants
 * 1. A failure is returned as a string that starts with `Error`, since the SDK has no other way; a tool with an `errorFunction` or an `outputSchema` fails as it does
 *    without Holdfast.
 * 2. Control-flow errors of a run are rethrown unchanged: the caller's abort, a sibling's failure, a guardrail's tripwire.
 */
import { shownDescription, withProperties } from '@holdfast/adapter-kit';
import type { FunctionTool } from '@openai/agents';
import { Attempts, describeFailure, outputOf } from './attempts.ts';
import type { Conversation } from './conversation.ts';
import { definedInvoke } from './defined-tool.ts';
import type { CallDetails, ReadTool } from './tools.ts';

export function functionTool(read: ReadTool, conversation: Conversation): FunctionTool {
  const { tool, definition } = read;
  const { agentRun } = conversation;
  const { name } = tool;
  let invoke: FunctionTool['invoke'] | undefined;
  const changes: Partial<FunctionTool> = {
    isEnabled: async (context, agent) => agentRun.advertise([{ name }]).length > 0 && tool.isEnabled(context, agent),
    // Made when it is needed: the SDK converts the schema of each tool that it makes.
    get invoke() {
      return (invoke ??= definition ? definedInvoke(read, definition, conversation) : finishedInvoke(read, conversation));
    },
    set invoke(own) {
      invoke = own;
    },
  };
  if (definition?.hasApprovalFunction) {
    // The policy sees what the tool will get.
    changes.needsApproval = (context, args, callId) => {
      const reading = conversation.read({ toolName: name, callId: '', arguments: args });
      return tool.needsApproval(context, (reading.ok && reading.repairs.length > 0 ? reading.value : args) as never, callId);
    };
  }
  const described = shownDescription(tool, (description) => agentRun.advertise([{ name, description }])[0]?.description ?? description);
  return withProperties(tool, withProperties(changes, described));
}

function finishedInvoke(read: ReadTool, conversation: Conversation): FunctionTool['invoke'] {
  return async (context, text, given) => {
    const details = given as CallDetails | undefined;
    const call = { toolName: read.tool.name, callId: details?.toolCall?.callId ?? '', arguments: text };
    const attempts = new Attempts(conversation, call, details, (args, own) => read.run(args, context, own));
    const answer = await attempts.answer(conversation.read(call));
    return answer.isError ? describeFailure(answer) : outputOf(answer, attempts.output);
  };
}
