/** The table of contents of `@holdfast/core/history`. */
export {};
