import { expect, it } from 'vitest';
import { type McpServerOptions, mcpServer } from '../../src/index.ts';

it.each([
  [{}, /command is undefined: give either command or url/],
  [{ command: 'x', url: 'http://a/' }, /url is "http:\/\/a\/": give either command or url/],
  [{ url: 'nonsense' }, /url is "nonsense": give an http or https URL/],
  [{ url: 'http://user:pass@a/' }, /url is "http:\/\/a": give an http/],
  [{ url: 'http://a/', args: ['x'] }, /args is an array of 1: it belongs to command/],
  [{ command: 'x', headers: {} }, /headers is an object: it belongs to url/],
  [{ command: 'x', protocol: 'old' }, /protocol is "old": choose one of auto, legacy, modern/],
  [{ command: 'x', env: { A: 1 } }, /env\.A is 1: give a string or/],
])('mcpServer refuses %j at once', (options, message) => {
  expect(() => mcpServer(options as unknown as McpServerOptions)).toThrow(message);
});
