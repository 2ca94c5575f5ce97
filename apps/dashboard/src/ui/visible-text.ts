/** Owns showing text of others as it is. Pure. Signs that are not seen, or turn the order of letters around, are shown by their number. */
// oxlint-disable-next-line no-control-regex
const unseen = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu;

export const visibleText = (text: string): string =>
  text.replace(unseen, (sign) => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
