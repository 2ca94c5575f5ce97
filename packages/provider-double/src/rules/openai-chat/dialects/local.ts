/** Servers of open models, and the proxy in front of many: their templates need the arguments of earlier calls as objects. */
import type { Report } from '../../problem.ts';
import { fieldsOf, listOf } from '../../reading.ts';
import { openai, type ChatDialect } from '../dialect.ts';
import { lacksContent, type ChatMessage } from '../shape.ts';
import { checkJsonArguments, isJson, isJsonObject, pythonWords } from './json-arguments.ts';

const notAnObject = (path: string): string => {
  const dotted = path.replaceAll('[', '.').replaceAll(']', '');
  return `${dotted}: arguments must be a valid JSON object string`;
};

const server = (...checks: readonly ((messages: readonly ChatMessage[], report: Report) => void)[]): ChatDialect => ({
  ...openai,
  limits: false,
  extra(_request, messages, report) {
    for (const check of checks) check(messages, report);
  },
});

export const vllm: ChatDialect = server(
  checkJsonArguments((text, path) => ({
    message: isJson(text) ? notAnObject(path) : pythonWords(text),
    type: 'BadRequestError',
  })),
);

export const litellm: ChatDialect = server(
  checkJsonArguments((text, path) => ({
    message: `litellm.BadRequestError: ${isJson(text) ? notAnObject(path) : pythonWords(text)}`,
  })),
);

const issues = 'https://github.com/ggml-org/llama.cpp/issues/8367 & https://github.com/ggml-org/llama.cpp/issues/12279';

/** Null is a content for llama-server, a missing field is not. */
function checkFields(messages: readonly ChatMessage[], report: Report): void {
  for (const [index, { role, content, tool_calls: calls }] of messages.entries()) {
    if (role !== 'assistant' || content !== undefined || calls !== undefined) continue;
    const message = `Failed to parse messages: Expected 'content' or 'tool_calls' (ref: ${issues})`;
    report({ rule: 'empty-content', path: `messages[${index}].content`, message });
  }
}

export const llamaServer: ChatDialect = server(
  checkJsonArguments((text) => ({ message: `Failed to parse tool call arguments as JSON: ${text.slice(0, 40)}` })),
  checkFields,
);

/** Ollama knows texts and images, and takes a message without content only if it has calls. */
function checkContents(messages: readonly ChatMessage[], report: Report): void {
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}].content`;
    if (lacksContent(message)) {
      report({ rule: 'empty-content', path, message: 'invalid message content type: <nil>' });
    }
    for (const [order, part] of listOf(message.content).entries()) {
      const { type } = fieldsOf<{ readonly type?: unknown }>(part);
      if (type === 'text' || type === 'image_url') continue;
      report({ rule: 'content-form', path: `${path}[${order}].type`, message: 'invalid message format' });
    }
  }
}

export const ollama: ChatDialect = server(
  checkJsonArguments(() => ({ message: 'invalid tool call arguments' }), isJsonObject),
  checkContents,
);
