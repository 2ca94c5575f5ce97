/** The table of contents of `@holdfast/core/metrics`. */
export {};
