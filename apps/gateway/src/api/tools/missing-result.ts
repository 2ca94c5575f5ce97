/** Owns the result of a call whose tool does not exist for its caller. No tool has run, and nothing is recorded. */
import type { FailedResult, Redactor } from '@holdfast/core';
import { userMessageFor } from '@holdfast/core/internal';
import { type MissingTool, missingText } from '../../catalog/find-tool.ts';
import { isLoginCode } from '../../server-auth/auth-error.ts';

export function missingResult(missing: MissingTool, callId: string, redact: Redactor): FailedResult {
  const { name, code } = missing;
  const [category, classification] =
    code === 'UNKNOWN_TOOL'
      ? (['not_found', 'permanent'] as const)
      : isLoginCode(code)
        ? (['auth', 'permanent'] as const)
        : (['unavailable', 'transient'] as const);
  return {
    toolName: name,
    callId,
    status: 'error',
    error: {
      code,
      message: redact(missingText(missing)),
      userMessage: userMessageFor(code === 'MCP_SERVER_DOWN' ? 'SERVICE_UNAVAILABLE' : code, name),
      retryable: classification === 'transient',
      classification,
      category,
      rule: code.toLowerCase().replaceAll('_', ' '),
    },
    executionTime: 0,
    attempts: 0,
    servedBy: name,
  };
}
