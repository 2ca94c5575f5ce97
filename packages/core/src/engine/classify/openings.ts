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

const turns =
  'but(?! (?:got|received|found)\\b)|however|although|though|yet|except|afterwards|meanwhile|then|partially|succeeded|completed|accepted';
/** Words before, of the same clause. */
const clause = `(?:(?!\\b(?:and|${turns})\\b)[^;,.–—]|\\.(?! )){0,60}?`;

/** What a caller has to hold before it may start. */
const acquiring =
  '[Aa]cquir(?:e|ing) (?:[\\w-]{1,20} ){0,2}?(?:[\\w-]{1,20}-)?(?:lock|mutex|semaphore|conn(?:ection)?|channel|lease|slot)\\b';

/** There was no connection yet. */
const beforeSending = /* @__PURE__ */ opening([
  '(?:(?:Invalid|[Uu]nsupported|Bad|Unknown|Only)(?: absolute| HTTP\\(S\\))? (?:URL|protocol)|node-fetch cannot load )',
  'net::ERR_(?:CONNECTION_REFUSED|NAME_NOT_RESOLVED|ADDRESS_\\w{4,12}|INTERNET_DISCONNECTED) at ',
  `${clause}(?:[Tt]im(?:ed ?out|eout)\\b(?! after)${clause}(?:to connect|connecting|handshak|acquir|authenticating|waiting for an? (?:open |free )?conn)|(?:handshake|ac?quisition|connack|buffering|${acquiring})${clause} tim|before (?:secure TLS|handshake)|(?:without|not) establish${clause}within)`,
  '(?:Unexpected server response: |Server responded with a non-101 status: |server rejected WebSocket connection: HTTP )[45]\\d\\d\\b',
  'Proxy response \\(\\d{3}\\) !== ',
  '(?:Received invalid )?Socks\\d ',
  'timeout expired$',
  // as urllib3 says it
  '(?:\\S{1,30}: ){0,3}HTTPS?Conn.{1,220}Caused by New',
  'Request ApiVersions\\(',
  'Not connected(?: to server)?\\.?$',
  '(?:The |Web)?(?:[Ss]ocket|[Cc]onnection|[Cc]lient|[Pp]ort|[Ss]ession|[Tt]ransport|[Dd]evice) is (?:not (?:open|connected)|disposed)\\b',
  'kex_exchange_identification: ',
  'This job has been dropped by Bottleneck$',
  `${rpc}(?:No connection established|Name resolution failed|failed to connect to all addresses|Stream refused by server|name resolver error|connection error: desc = "transport: (?:Error while dialing|authentication handshake failed))`,
  'Stream closed with error code NGHTTP2_REFUSED_STREAM',
  // what a proxy says of a server that it did not reach
  `(?:${rpc}|5\\d\\d )?(?:no healthy upstream|upstream connect error or disconnect/reset before headers\\. reset reason: (?:(?:(?:local|remote) )?connection (?:failure|timeout)|overflow|(?:local|remote) refused))`,
  `${rpc}[Dd]eadline exceeded after .{1,200}[Ww]aiting.for.(?:connection|LB pick)`,
  '(?:[Tt]he |[Yy]our )?[Cc]lient is (?:closed|offline)(?:\\.|$)',
  'Too many pending (?:task|request|call|job|operation)s\\b',
  '\\S{0,20}(?:lock|mutex|semaphore) timed out in queue\\b',
  '(?:\\w+:? )?[Qq]ueue (?:limit reached|is at limit|full)\\.?$',
]);

/** A server or a database rejected it. */
const rejected = /* @__PURE__ */ opening([
  'Too [Mm]any [Rr]equests$',
  '(?:\\w{1,40}: )?All configured authentication methods failed',
  '(?:Missing|No|Could not load)(?: \\w+){0,3} (?:credentials|(?:API|api) key|(?:access|refresh) token)\\b',
  '8 RESOURCE_EXHAUSTED: ',
  '(?:READONLY You |MASTERDOWN Link |MISCONF Redis |CLUSTERDOWN |BUSY Redis )',
  '(?:SQLITE_BUSY: )?database (?:table )?is locked$',
  'could not (?:serialize access due to |obtain lock on )',
]);

/** What a proxy says of a server that it had reached. */
const brokenBehind =
  /before headers|\breset\b|terminat|closed\b|time[ds]?[- ]?out(?!=)|\beof\b|broken pipe|backend fetch|malformed|invalid response|hang up|premature|empty re|read error|^application error$/i;

/** Whether the words of an answer tell that the server behind a proxy was reached, and broke off. */
export const isBrokenBehind = (text: string): boolean => brokenBehind.test(text);

/** All that some clients and proxies say. */
const sentence =
  /^(?:\w{0,24}Error: |MCP error -32\d{3}: )?(?:fetch failed|failed to fetch|load failed|network ?error|socket hang up|connection (?:error|refused|reset|closed|timed ?out)(?: by peer)?|(?:request|command|operation) timed out|timeout of \d{1,9} ?ms exceeded|rate limit (?:exceeded|reached)|too many requests|(?:the )?(?:server|service)(?: is)?(?: temporarily| currently)? (?:unavailable|overloaded)|internal server error|bad gateway|gateway time-?out|deadlock (?:detected|found[^,;]{0,60}))[.!]?$/i;

/** The end of a statement. */
const turn = new RegExp(`;|[,–—] \\S|\\. [A-Z]|\\b(?:${turns})\\b`, 'i');
/** Something else is told than that it failed: `Charged 50 EUR, but the receipt …`. */
const account = new RegExp(`;|[–—] \\S|\\b(?:${turns})\\b`, 'i');

/** Whether a quote begins the message, or only a few words of the same clause come before it: `Weather API returned 503`. */
export const isLeading = (text: string, index: number): boolean => index < 100 && !turn.test(text.slice(0, index));

export const isSentence = (text: string): boolean => sentence.test(text) || isBeforeSending(text) || rejected.test(text);

/** Whether a message also tells of something that did not fail. */
export const tellsMore = (text: string): boolean => account.test(text.slice(0, 300));

/** A connection that was not made, in the words of any platform, alone or as the reason in a statement about the connection. */
const unconnected =
  /^((?:[^;,.–—]|\.(?! [A-Z])|, (?:reason|port )|,\s{1,20}ConnectError\(|\. (?:Details|Reason|Last error|Caused by)){0,400}?)(?:connect E[A-Z]{4,16}\b|getaddrinfo E|(?:connect: |\[Errno 111\] )connection refused|(?:tcp connect|dns) error|connection refused(?: \(os error|: )|(?<=connect to [^;]{1,60}: )connection refused|connect: (?:no route|network)|name or service not known|failure in name resolution|no such host|(?<=connect to (?:\w+ ){0,3}\S{1,100}):\d{2,5}\b(?=.{1,12}tim))/i;

/** A refused reconnection does not tell about what was sent before. */
const connecting =
  /^(?!.*(?:lost|re-?connect|retr[iy]|reset|closed))(?:(?:E[A-Z]+ |\w+: )*$|.*dial \w|(?=.*(?:fail|error|except|unable|could|can)).*(?:connect(?!ed)|request to|sending request|to reach|lookup))/is;

export function isBeforeSending(text: string): boolean {
  const before = unconnected.exec(text)?.[1];
  return beforeSending.test(text) || (before !== undefined && connecting.test(before) && !tellsMore(before));
}

/**
 * What a verdict is worth when only a message says so. A transient one does not show that the request was not carried out, unless the message opens with a
 * rejection. A permanent one does if it is `known` who wrote it, and nothing else is told.
 */
export function inWords(
  verdict: Verdict,
  text: string,
  known: boolean,
  isRejection: boolean = verdict.classification === 'permanent',
): Verdict {
  if (verdict.ambiguous || verdict.classification === 'neutral') return verdict;
  return rejected.test(text) || (isRejection && known && !tellsMore(text)) ? verdict : { ...verdict, ambiguous: true };
}
