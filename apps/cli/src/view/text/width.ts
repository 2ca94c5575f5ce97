/** The width of a string in columns. Fast for the common case of one column per character, since a frame measures thousands of strings. */
import measuredWidth from 'string-width';

/** Printable ASCII, and the lines and dots that the view draws. */
const narrow = /^[ -~·×…\u2500-\u257F]*$/u;

export const stringWidth = (text: string): number => (narrow.test(text) ? text.length : measuredWidth(text));
