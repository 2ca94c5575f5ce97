/**
 * Owns who wrote a message: a client or a server, whose sentences are known, or anyone. Words of anyone are no evidence: they may be about something else, such
 * as a room that is busy or a receipt that could not be reached after the payment.
 *
 * 1. Patterns are anchored and repeat only within fixed bounds.
 */
import type { Verdict } from './verdict.ts';

/** As gRPC's clients quote it. */
const rpc = '(?:(?:\\d{1,2}|/\\S{1,200}) [A-Z_]{2,20}: |rpc error: code = \\w{2,20} desc = )';

const opening = (patterns: readonly string[]): RegExp =>
  new RegExp(`^(?:\\w{0,24}Error: |[a-z]{2,12}[A-Z]\\w{1,20}: )?(?:${patterns.join('|')})`);

/** There was no connection yet. */
const beforeSending = /* @__PURE__ */ opening([
  '(?:E[A-Z]{4,16} )?(?:connect|listen) E[A-Z]{4,16}\\b',
  'getaddrinfo E',
  'error happened in your connection\\. Reason: Error: (?:connect|getaddrinfo) E',
  'dial (?:tcp|udp|unix) \\S{1,100}: (?:connect: (?:connection refused|no route|network is unreachable)|lookup )',
  'request to \\S{1,400} failed, reason: (?:connect|getaddrinfo) E',
  'net::ERR_(?:CONNECTION_REFUSED|NAME_NOT_RESOLVED|ADDRESS_\\w{4,12}|INTERNET_DISCONNECTED) at ',
  'Client network socket disconnected before secure TLS',
  'Opening handshake',
  // no connection has a number yet
  '\\(conn:-1, ',
  '(?:Unexpected server response: |Server responded with a non-101 status: |server rejected WebSocket connection: HTTP )[45]\\d\\d\\b',
  'tunneling socket could not be established',
  'Proxy response \\(\\d{3}\\) !== ',
  '(?:Received invalid )?Socks\\d ',
  'Failed to connect to (?:server\\.|\\S{1,200} in \\d)',
  'timeout exceeded when trying to connect$',
  'timeout expired$',
  'connack timeout$',
  'Connection timeout$',
  '[^,;]{0,99}(?:without establishing|did not establish) a connection (?:with the server )?within',
  'Request ApiVersions\\(',
  'Connection lost before handshake$',
  'Timed out while (?:waiting for handshake|(?:connecting to|authenticating with) server)$',
  'Operation `\\S{1,200}` buffering timed out',
  'Not connected(?: to server)?\\.?$',
  'kex_exchange_identification: ',
  'Queue limit reached\\.$',
  'This job has been dropped by Bottleneck$',
  'Knex: Timeout acquiring a connection',
  `${rpc}(?:No connection established|Name resolution failed|failed to connect to all addresses|Stream refused by server|name resolver error|connection error: desc = "transport: (?:Error while dialing|authentication handshake failed))`,
  'Stream closed with error code NGHTTP2_REFUSED_STREAM',
  'error sending request for url \\(\\S{1,400}\\): (?:client error \\(Connect\\)|error trying to connect): ',
  // what a proxy says of a server that it did not reach
  `(?:${rpc}|5\\d\\d )?(?:no healthy upstream|upstream connect error or disconnect/reset before headers\\. reset reason: (?:(?:(?:local|remote) )?connection (?:failure|timeout)|overflow|(?:local|remote) refused))`,
  `${rpc}[Dd]eadline exceeded after .{1,200}[Ww]aiting.for.(?:connection|LB pick)`,
  'Connection acquisition timed out in \\d',
  '(?:[Tt]he )?[Cc]lient is (?:closed|offline)\\.?$',
  '(?:Local: )?[Qq]ueue full$',
]);

const status = '(?:42[0359])\\b';
const reason = '(?:42[0359]) (?:Enhance Your Calm|Locked|Too Early|Too Many Requests|Rate limit|\\{)';

/** A server or a database rejected it. */
const rejected = /* @__PURE__ */ opening([
  `Request failed with status(?: code)? ${status}`,
  `Response code ${status}`,
  `\\[[A-Z]{3,7}\\] "[^"]{1,400}": ${reason}`,
  reason,
  'Too [Mm]any [Rr]equests$',
  '\\[(?:AUTH|IN-USE|LOGIN-DELAY)\\] ',
  '(?:\\w{1,40}: )?All configured authentication methods failed',
  '8 RESOURCE_EXHAUSTED: ',
  '(?:READONLY You |MASTERDOWN Link |MISCONF Redis |CLUSTERDOWN |BUSY Redis )',
  '(?:SQLITE_BUSY: )?database (?:table )?is locked$',
  'could not (?:serialize access due to |obtain lock on )',
  'canceling statement due to lock timeout$',
  'Lock wait timeout exceeded; try restarting transaction$',
]);

/** What a proxy says of a server that it had reached. */
const brokenBehind =
  /before headers|\breset\b|terminat|closed\b|time[ds]?[- ]?out(?!=)|\beof\b|broken pipe|backend fetch|malformed|invalid response|hang up|premature|empty re|read error|^application error$/i;

/** Whether the words of an answer tell that the server behind a proxy was reached, and broke off. */
export const isBrokenBehind = (text: string): boolean => brokenBehind.test(text);

/** All that some clients and proxies say. */
const sentence =
  /^(?:\w{0,24}Error: |MCP error -32\d{3}: )?(?:fetch failed|failed to fetch|load failed|network ?error|socket hang up|connection (?:error|refused|reset|closed|timed ?out)(?: by peer)?|(?:request|command|operation) timed out|timeout of \d{1,9} ?ms exceeded|rate limit (?:exceeded|reached)|too many requests|(?:the )?(?:server|service)(?: is)?(?: temporarily| currently)? (?:unavailable|overloaded)|internal server error|bad gateway|gateway time-?out|deadlock (?:detected|found[^,;]{0,60}))[.!]?$/i;

const turns =
  'but(?! (?:got|received|found)\\b)|however|although|though|yet|except|afterwards|meanwhile|then|partially|succeeded|completed|accepted';
/** The end of a statement. */
const turn = new RegExp(`;|[,–—] \\S|\\. [A-Z]|\\b(?:${turns})\\b`, 'i');
/** Something else is told than that it failed: `Charged 50 EUR, but the receipt …`. */
const account = new RegExp(`;|[–—] \\S|\\b(?:${turns})\\b`, 'i');

/** Whether a quote begins the message, or only a few words of the same clause come before it: `Weather API returned 503`. */
export const isLeading = (text: string, index: number): boolean => index < 100 && !turn.test(text.slice(0, index));

export const isSentence = (text: string): boolean => sentence.test(text) || isBeforeSending(text) || rejected.test(text);

/** Whether a message also tells of something that did not fail. */
export const tellsMore = (text: string): boolean => account.test(text.slice(0, 300));

export const isBeforeSending = (text: string): boolean => beforeSending.test(text);

/**
 * What a verdict is worth when only a message says so. A transient one does not show that the request was not carried out, unless the message opens with a
 * rejection. A permanent one does if it is `known` who wrote it, and nothing else is told.
 */
export function inWords(verdict: Verdict, text: string, known: boolean): Verdict {
  if (verdict.ambiguous || verdict.classification === 'neutral') return verdict;
  return rejected.test(text) || (verdict.classification === 'permanent' && known && !tellsMore(text))
    ? verdict
    : { ...verdict, ambiguous: true };
}
