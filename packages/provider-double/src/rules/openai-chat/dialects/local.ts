/** Servers of open models, and the proxy in front of many: their templates need the arguments of earlier calls as objects. */
import { openai, type ChatDialect, type Words } from '../dialect.ts';
import { checkJsonArguments, pythonWords } from './json-arguments.ts';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const notAnObject = (path: string): string => {
  const dotted = path.replaceAll('[', '.').replaceAll(']', '');
  return `${dotted}: arguments must be a valid JSON object string`;
};

const server = (words: (text: string, path: string) => Words): ChatDialect => ({
  ...openai,
  limits: false,
  extra: (_request, messages, report) => checkJsonArguments(words)(messages, report),
});

export const vllm: ChatDialect = server((text, path) => ({
  message: parses(text) ? notAnObject(path) : pythonWords(text),
  type: 'BadRequestError',
}));

export const litellm: ChatDialect = server((text, path) => ({
  message: `litellm.BadRequestError: ${parses(text) ? notAnObject(path) : pythonWords(text)}`,
}));

export const llamaServer: ChatDialect = server((text) => ({
  message: `Failed to parse tool call arguments as JSON: ${text.slice(0, 40)}`,
}));

export const ollama: ChatDialect = server(() => ({ message: 'invalid tool call arguments' }));
