/** The table of contents of `@holdfast/mcp`. */
export {};
