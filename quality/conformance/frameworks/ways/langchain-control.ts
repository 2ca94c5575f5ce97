/** Adds a middleware that passes everything through to every agent of LangChain. */
interface Options {
  readonly middleware?: readonly unknown[];
}
type Create = (options: Options) => unknown;
type Handler = (request: unknown) => unknown;

const pass = (request: unknown, handler: Handler): unknown => handler(request);
const empty = { name: 'Empty', wrapModelCall: pass, wrapToolCall: pass };

export const createAgent =
  (original: Create): Create =>
  (options) =>
    original({ ...options, middleware: [empty, ...(options.middleware ?? [])] });

export const ToolNode = (original: unknown): unknown => original;
