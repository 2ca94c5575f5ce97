/** How many columns a string takes. A frame measures thousands of texts, nearly all of them one column per character. */
import measuredWidth from 'string-width';

/** Printable ASCII, and the lines and dots that the view draws with. */
const narrow = /^[ -~·×…\u2500-\u257F]*$/u;

export const stringWidth = (text: string): number => (narrow.test(text) ? text.length : measuredWidth(text));
